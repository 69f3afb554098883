import { Hono } from 'hono';
import { z } from 'zod';
import type { LcmSummary, LcmSummaryHead } from '@palimpsest/core';
import type { PagesDeps } from '../deps.ts';
import { refuse } from '../error-response.ts';
import { nodeViews } from '../palimpsest/page-view.ts';
import { anySeq, pageSize, readQuery, seqPage, whole } from './read-query.ts';
import { messageView, shownCharacters } from './row-view.ts';

/** More cannot be told apart on a page. */
const mostLeavesDrawn = 300;
const sessionOnly = z.object({ id: z.string() });
const nodeId = z.string().regex(/^sum_[0-9a-f]{1,64}$/, 'not the id of a node: sum_ and hexadecimal digits');
const nodePage = z.object({
  id: z.string(),
  depth: whole({ least: 0, most: 64, usual: 0 }),
  after: whole(anySeq),
  limit: pageSize(50),
});
const oneNode = z.object({ id: z.string(), node: nodeId });
const nodeMessages = seqPage.extend({ node: nodeId });

/** The lossless engine's graph. Only nodes of the session itself, whatever else its people may search. */
export function lcmRoutes(deps: PagesDeps): Hono {
  const app = new Hono();
  const { lcm } = deps;
  const views = (id: string, nodes: readonly (LcmSummaryHead | LcmSummary)[]) => nodeViews(lcm, id, nodes);
  app.get('/api/sessions/:id/lcm', async (c) => {
    const { id } = readQuery(c, sessionOnly);
    const [status, state] = await Promise.all([lcm.status(id), lcm.load(id)]);
    const { breakers, spend, telemetry, now } = state;
    return c.json({ status, breakers, spend, telemetry, now });
  });
  app.get('/api/sessions/:id/lcm/doctor', async (c) => {
    const { id } = readQuery(c, sessionOnly);
    return c.json({ problems: await lcm.doctor(id) });
  });
  app.get('/api/sessions/:id/lcm/drawing', async (c) =>
    c.json(await lcm.draw(readQuery(c, sessionOnly).id, mostLeavesDrawn)),
  );
  app.get('/api/sessions/:id/lcm/context', async (c) => {
    const { id, after, limit } = readQuery(c, seqPage);
    const { items } = await lcm.load(id);
    const rest = items.filter((item) => item.ordinal > after);
    const page = rest.slice(0, limit);
    const next = rest.length > limit ? (page.at(-1)?.ordinal ?? null) : null;
    return c.json({ nodes: await views(id, page), next });
  });
  app.get('/api/sessions/:id/lcm/nodes', async (c) => {
    const { id, depth, after, limit } = readQuery(c, nodePage);
    const heads = (await lcm.heads(id)).filter((head) => head.depth === depth);
    const page = heads.slice(after, after + limit);
    const next = after + page.length < heads.length ? after + page.length : null;
    return c.json({ nodes: await views(id, page), next });
  });
  app.get('/api/sessions/:id/lcm/nodes/:node', async (c) => {
    const { id, node } = readQuery(c, oneNode);
    const scope = { sessionId: id, onlySessionId: id };
    const [described, sources] = await Promise.all([lcm.describe(scope, node), lcm.sourcesOf(scope, node)]);
    if (!described || !sources)
      return refuse(c, 404, { code: 'row_missing', message: 'There is no such node in this session.' });
    const { derivedIds, isInContext, createdAt } = described;
    const [view] = await views(id, [described]);
    return c.json({ node: view, sources: await views(id, sources), derivedIds, isInContext, createdAt });
  });
  app.get('/api/sessions/:id/lcm/nodes/:node/messages', async (c) => {
    const { id, node, after, limit } = readQuery(c, nodeMessages);
    const scope = { sessionId: id, onlySessionId: id };
    const wish = { afterSeq: after, limit, maxCharacters: shownCharacters };
    const messages = await lcm.messagesOf(scope, node, wish);
    if (!messages)
      return refuse(c, 404, { code: 'row_missing', message: 'There is no such node in this session.' });
    const next = messages.length < limit ? null : (messages.at(-1)?.seq ?? null);
    return c.json({ rows: messages.map(messageView), next });
  });
  return app;
}
