import { Hono } from 'hono';
import type { PagesDeps } from '../deps.ts';
import { originGuard } from '../guards/origin-guard.ts';
import { eventStream } from '../live/event-stream.ts';
import type { NoticeHub } from '../live/notice-hub.ts';
import { OperatorFeed } from '../live/operator-feed.ts';
import { numberIn } from './number-in.ts';
import { withContextUse } from './context-use.ts';

const deniedShown = 5;

/** What operators read, as JSON. Only reads: what is wanted of a session is asked for by mailbox rows. */
export function sessionRoutes(deps: PagesDeps, hub: NoticeHub): Hono {
  const app = new Hono();
  app.get('/api/overview', async (c) => c.json(await overview(deps)));
  app.get('/api/sessions', async (c) => {
    const limit = numberIn(c.req.query('limit'), { least: 1, most: 500, usual: 50 });
    const offset = numberIn(c.req.query('offset'), { least: 0, most: 1_000_000, usual: 0 });
    const order = c.req.query('order') === 'context' ? 'context' : 'activity';
    const sessions = await deps.operators.sessions({ limit, offset, order });
    return c.json({ sessions: sessions.map((session) => withContextUse(session, deps.windowTokens)) });
  });
  app.get('/api/compactions', async (c) => {
    const limit = numberIn(c.req.query('limit'), { least: 1, most: 500, usual: 50 });
    const before = c.req.query('before');
    const beforeId = before
      ? numberIn(before, { least: 1, most: Number.MAX_SAFE_INTEGER, usual: 1 })
      : undefined;
    return c.json({ compactions: await deps.compactions.ledger({ limit, beforeId }) });
  });
  app.get('/api/events', originGuard, (c) =>
    eventStream(c, new OperatorFeed(c.req.query('session') ?? null), { hub, clock: deps.clock }),
  );
  return app;
}

async function overview(deps: PagesDeps): Promise<object> {
  const [figures, denied, queue] = await Promise.all([
    deps.operators.figures(),
    deps.operators.denied(deniedShown),
    // The queue may be away while everything stored can still be read.
    deps.queue.counts().catch(() => null),
  ]);
  return {
    figures,
    queue: { backend: deps.queue.backend, counts: queue },
    model: { label: deps.modelLabel, windowTokens: deps.windowTokens },
    denied: denied.map((entry) => ({
      ...entry,
      letIn: `npm run -s palimpsest -- access allow ${entry.platform} ${entry.senderId}`,
    })),
  };
}
