import { Hono } from 'hono';
import { z } from 'zod';
import { eventTypes } from '@palimpsest/core';
import { withEconomy } from '../board/with-economy.ts';
import type { PagesDeps } from '../deps.ts';
import { originGuard } from '../guards/origin-guard.ts';
import { EventFeed } from '../live/event-feed.ts';
import { eventStream } from '../live/event-stream.ts';
import type { NoticeHub } from '../live/notice-hub.ts';
import type { SharedReads } from '../live/shared-reads.ts';
import { readQuery, pageSize, whole } from './read-query.ts';

/** Steps of a time line: as many as a phone can show. */
const steps = 48;
/** A board adds up the whole ledger of its range, so it is some seconds old. */
const boardFreshMs = 10_000;
const brakesFreshMs = 3_000;

const newest = { least: 1, most: Number.MAX_SAFE_INTEGER, usual: Number.MAX_SAFE_INTEGER };
const boardRange = z.object({ hours: whole({ least: 1, most: 24 * 366, usual: 24 }) });
const eventPage = z.object({
  before: whole(newest),
  limit: pageSize(50),
  type: z.enum(eventTypes).optional(),
  session: z.string().optional(),
});
const actionPage = z.object({ before: whole(newest), limit: pageSize(50), session: z.string().optional() });

/** Boards over all sessions: compactions, events, what operators did. */
export function boardRoutes(deps: PagesDeps, hub: NoticeHub, shared: SharedReads): Hono {
  const app = new Hono();
  const { boards, context } = deps;
  app.get('/api/board/compactions', async (c) => {
    const { hours } = readQuery(c, boardRange);
    const board = await shared.read(`compactions ${hours}`, boardFreshMs, async () => {
      const read = await boards.compactions({ hours, steps });
      return { ...read, spending: read.spending.map((row) => withEconomy(row, context)) };
    });
    return c.json(board);
  });
  app.get('/api/board/brakes', async (c) =>
    c.json(await shared.read('brakes', brakesFreshMs, () => boards.brakes(context.usualTriggerTokens()))),
  );
  app.get('/api/events/recent', async (c) => {
    const { before, limit, type, session } = readQuery(c, eventPage);
    const events = await boards.events({
      limit,
      beforeId: before,
      ...(type ? { type } : {}),
      ...(session ? { sessionId: session } : {}),
    });
    return c.json({ events, next: events.length < limit ? null : (events.at(-1)?.id ?? null) });
  });
  app.get('/api/events/stream', originGuard, async (c) => {
    const asked = c.req.header('last-event-id') ?? c.req.query('after');
    const [last] = asked === undefined ? await boards.events({ limit: 1 }) : [];
    const afterId = asked === undefined ? (last?.id ?? 0) : Number(asked) || 0;
    const feed = new EventFeed(boards, shared, afterId);
    return eventStream(c, feed, { bell: hub.bellOf(feed), clock: deps.clock });
  });
  app.get('/api/actions', async (c) => {
    const { before, limit, session } = readQuery(c, actionPage);
    const actions = await boards.actions({
      limit,
      beforeId: before,
      ...(session ? { sessionId: session } : {}),
    });
    return c.json({ actions, next: actions.length < limit ? null : (actions.at(-1)?.id ?? null) });
  });
  return app;
}
