import { Hono } from 'hono';
import type { PagesDeps } from '../deps.ts';
import { originGuard } from '../guards/origin-guard.ts';
import { eventStream } from '../live/event-stream.ts';
import type { NoticeHub } from '../live/notice-hub.ts';
import type { SharedReads } from '../live/shared-reads.ts';
import { OperatorFeed } from '../live/operator-feed.ts';
import { numberIn } from './number-in.ts';
import { withContextUse } from './context-use.ts';

const deniedShown = 5;
/** Young enough to be the present, old enough to be read once for all pages that look. */
const freshMs = 600;
const activityFreshMs = 5_000;

/** What operators read of the service and its sessions, as JSON. */
export function sessionRoutes(deps: PagesDeps, hub: NoticeHub, shared: SharedReads): Hono {
  const app = new Hono();
  app.get('/api/overview', (c) =>
    shared.answer(c, { question: 'overview', freshMs }, () => overview(deps, shared)),
  );
  app.get('/api/queues', async (c) => {
    const counts = await shared.read('queues', freshMs, () => deps.queue.counts());
    return c.json({ backend: deps.queue.backend, queues: byQueue(counts) });
  });
  app.get('/api/sessions', (c) => {
    const limit = numberIn(c.req.query('limit'), { least: 1, most: 500, usual: 50 });
    const offset = numberIn(c.req.query('offset'), { least: 0, most: 1_000_000, usual: 0 });
    const order = orders.find((one) => one === c.req.query('order')) ?? 'activity';
    const search = (c.req.query('search') ?? '').trim().slice(0, 200);
    // Which sessions are found would tell a viewer what their titles say.
    const blindToTitles = c.get('person').role === 'viewer';
    const question = `sessions ${limit} ${offset} ${order} ${blindToTitles} ${search}`;
    return shared.answer(c, { question, freshMs }, async () => {
      const sessions = await deps.operators.sessions({ limit, offset, order, search, blindToTitles });
      return {
        sessions: sessions.map((session) => withContextUse(session, deps.windowTokens)),
        next: sessions.length < limit ? null : offset + sessions.length,
      };
    });
  });
  app.get('/api/compactions', (c) => {
    const limit = numberIn(c.req.query('limit'), { least: 1, most: 500, usual: 50 });
    const before = c.req.query('before');
    const beforeId = before
      ? numberIn(before, { least: 1, most: Number.MAX_SAFE_INTEGER, usual: 1 })
      : undefined;
    const question = `ledger ${limit} ${before}`;
    return shared.answer(c, { question, freshMs }, async () => ({
      compactions: await deps.compactions.ledger({ limit, beforeId }),
    }));
  });
  app.get('/api/events', originGuard, (c) => {
    const feed = new OperatorFeed(c.req.query('session') ?? null, () => hub.listening);
    return eventStream(c, feed, { bell: hub.bellOf(feed), clock: deps.clock });
  });
  return app;
}

/** `turns.waiting: 3` of many queues as one entry a queue. */
function byQueue(
  counts: Readonly<Record<string, number>>,
): { name: string; counts: Record<string, number> }[] {
  const queues = new Map<string, Record<string, number>>();
  for (const [key, count] of Object.entries(counts)) {
    const dot = key.lastIndexOf('.');
    const name = key.slice(0, dot);
    queues.set(name, { ...queues.get(name), [key.slice(dot + 1)]: count });
  }
  return [...queues].map(([name, states]) => ({ name, counts: states }));
}

const orders = ['activity', 'context', 'cost'] as const;

async function overview(deps: PagesDeps, shared: SharedReads): Promise<object> {
  const [figures, denied, queue, activity] = await Promise.all([
    deps.operators.figures(),
    deps.operators.denied(deniedShown),
    // The queue may be away while everything stored can still be read.
    deps.queue.counts().catch(() => null),
    shared.read('activity', activityFreshMs, () => deps.boards.activity()),
  ]);
  return {
    figures,
    activity,
    queue: { backend: deps.queue.backend, counts: queue },
    model: { label: deps.modelLabel, windowTokens: deps.windowTokens },
    denied: denied.map((entry) => ({
      ...entry,
      letIn: `npm run -s palimpsest -- access allow ${entry.platform} ${entry.senderId}`,
    })),
  };
}
