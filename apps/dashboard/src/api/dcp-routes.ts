import { Hono } from 'hono';
import { z } from 'zod';
import type { DcpEventKind } from '@palimpsest/core';
import type { PagesDeps } from '../deps.ts';
import { coverOfBlocks } from '../palimpsest/lay-page.ts';
import { mapBlocks } from '../palimpsest/map-blocks.ts';
import { blockView } from '../palimpsest/page-view.ts';
import { rowsById } from '../palimpsest/rows-by-id.ts';
import { anySeq, pageSize, readQuery, seqPage, whole } from './read-query.ts';

const eventKinds = [
  'compress',
  'compress_failed',
  'nudge',
  'decompress',
  'recompress',
  'manual',
  'sweep',
  'hygiene',
  'emergency',
  'taint',
  'reset',
] as const satisfies readonly DcpEventKind[];

const sessionOnly = z.object({ id: z.string() });
const blockPage = z.object({ id: z.string(), after: whole(anySeq), limit: pageSize(50) });
const blockRows = seqPage.extend({ number: whole({ ...anySeq, least: 1 }) });
const eventPage = z.object({
  id: z.string(),
  before: whole({ least: 1, most: Number.MAX_SAFE_INTEGER, usual: Number.MAX_SAFE_INTEGER }),
  limit: pageSize(50),
  kind: z.enum(eventKinds).optional(),
});

/** What the model-guided engine keeps of a session. */
export function dcpRoutes(deps: PagesDeps): Hono {
  const app = new Hono();
  app.get('/api/sessions/:id/dcp', async (c) => {
    const { id } = readQuery(c, sessionOnly);
    const [state, savings] = await Promise.all([deps.dcp.load(id), deps.dcp.savings(id)]);
    const { version, generation, manualMode, grant, nudge, hygiene, counters, marks, refs } = state;
    return c.json({
      version,
      generation,
      manualMode,
      nudge,
      hygiene,
      counters,
      savings,
      asked: grant !== null,
      marks: marks.length,
      refs: refs.size,
    });
  });
  app.get('/api/sessions/:id/dcp/blocks', async (c) => {
    const { id, after, limit } = readQuery(c, blockPage);
    const [rows, blocks] = await Promise.all([deps.transcript.liveHeaders(id), deps.dcp.blocks(id)]);
    const covers = coverOfBlocks(rows, blocks);
    const rest = blocks.filter((block) => block.number > after);
    const page = rest.slice(0, limit);
    return c.json({
      blocks: page.map((block) => blockView(block, covers.get(block.number)!)),
      next: rest.length > limit ? (page.at(-1)?.number ?? null) : null,
    });
  });
  app.get('/api/sessions/:id/dcp/map', async (c) => {
    const { id } = readQuery(c, sessionOnly);
    const [rows, blocks] = await Promise.all([deps.transcript.liveHeaders(id), deps.dcp.blocks(id)]);
    return c.json(mapBlocks(rows, blocks));
  });
  app.get('/api/sessions/:id/dcp/blocks/:number/rows', async (c) => {
    const { id, number, after, limit } = readQuery(c, blockRows);
    const [live, blocks] = await Promise.all([deps.transcript.liveHeaders(id), deps.dcp.blocks(id)]);
    const under = new Set(coverOfBlocks(live, blocks).get(number)?.rowIds);
    const rows = live.filter((row) => under.has(row.id));
    return c.json(await rowsById(deps.transcript, id, { rows, state: 'live', after, limit }));
  });
  app.get('/api/sessions/:id/dcp/marks', async (c) => {
    const { id, after, limit } = readQuery(c, blockPage);
    const { marks, refs } = await deps.dcp.load(id);
    const page = marks.slice(after, after + limit);
    return c.json({
      marks: page.map((mark) => ({ ...mark, ref: refs.get(mark.unitId) ?? null })),
      next: after + page.length < marks.length ? after + page.length : null,
    });
  });
  app.get('/api/sessions/:id/dcp/events', async (c) => {
    const { id, before, limit, kind } = readQuery(c, eventPage);
    const wish = { limit, beforeId: before, ...(kind ? { kinds: [kind] } : {}) };
    const events = await deps.dcp.events(id, wish);
    return c.json({ events, next: events.length < limit ? null : (events.at(-1)?.id ?? null) });
  });
  return app;
}
