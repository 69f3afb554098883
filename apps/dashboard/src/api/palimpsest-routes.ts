import { textOfParts } from '@palimpsest/core';
import { Hono } from 'hono';
import { z } from 'zod';
import type { PagesDeps } from '../deps.ts';
import { refuse } from '../error-response.ts';
import { readPage } from '../palimpsest/page-view.ts';
import { rowsById } from '../palimpsest/rows-by-id.ts';
import { rowView } from './row-view.ts';
import { anySeq, readQuery, seqPage, whole } from './read-query.ts';

/** Of one row's text in one answer. */
const mostCharacters = 20_000;
const rowStates = ['live', 'archived', 'withdrawn'] as const;
const underPage = seqPage.extend({ row: whole({ ...anySeq, least: 1 }) });
const allPage = seqPage.extend({
  state: z.enum(rowStates).optional(),
  /** 0: whatever archived them, if anything did. */
  archivedBy: whole(anySeq),
});
const rowText = z.object({ id: z.string(), row: whole({ ...anySeq, least: 1 }), from: whole(anySeq) });

/** The page as the model reads it, and what lies underneath; every list in pages of at most 200. */
export function palimpsestRoutes(deps: PagesDeps): Hono {
  const app = new Hono();
  app.get('/api/sessions/:id/palimpsest', async (c) => {
    const { id, ...page } = readQuery(c, seqPage);
    return c.json(await readPage(deps, id, page));
  });
  app.get('/api/sessions/:id/palimpsest/:row/rows', async (c) => {
    const { id, row, after, limit } = readQuery(c, underPage);
    const rows = await rowsBelow(deps, id, row);
    return c.json(await rowsById(deps.transcript, id, { rows, state: 'archived', after, limit }));
  });
  app.get('/api/sessions/:id/rows', async (c) => {
    const { id, after, limit, state, archivedBy } = readQuery(c, allPage);
    const states = state ? [state] : rowStates;
    const rows = await deps.transcript.page(id, {
      afterSeq: after,
      limit,
      states,
      ...(archivedBy > 0 && { archivedBy }),
    });
    return c.json({ rows: rows.map(rowView), next: rows.length < limit ? null : (rows.at(-1)?.seq ?? null) });
  });
  app.get('/api/sessions/:id/rows/:row/text', async (c) => {
    const { id, row, from } = readQuery(c, rowText);
    const [body] = await deps.transcript.bodies(id, [row]);
    if (!body)
      return refuse(c, 404, { code: 'row_missing', message: 'There is no such row in this session.' });
    const text = textOfParts(body.parts);
    const next = from + mostCharacters < text.length ? from + mostCharacters : null;
    return c.json({ text: text.slice(from, from + mostCharacters), next });
  });
  return app;
}

/** Under a summary every original row; under a row that stands for another one that one. */
async function rowsBelow(
  { transcript, lcm }: PagesDeps,
  sessionId: string,
  rowId: number,
): Promise<readonly { id: number; seq: number }[]> {
  const [row] = await transcript.bodies(sessionId, [rowId]);
  if (!row) return [];
  if (row.replaces !== undefined) return transcript.bodies(sessionId, [row.replaces]);
  const under = (await lcm.rowsUnder(sessionId, [rowId])).get(rowId) ?? [];
  return under.filter(({ id }) => id !== rowId);
}
