import { Hono, type Context } from 'hono';
import { z } from 'zod';
import type { ActRefusal } from '@palimpsest/core';
import type { PagesDeps } from '../deps.ts';
import { refuse } from '../error-response.ts';
import { csrfGuard, operatorsOnly } from '../guards/person.ts';
import { actorOf } from './actor-of.ts';
import { readQuery, whole } from './read-query.ts';

/** As many as a person looks through; the metric counts all. */
const listed = 100;
const anyId = { least: 1, most: Number.MAX_SAFE_INTEGER, usual: 1 };
const oneMessage = z.object({ sessionId: z.string().max(200), seq: whole(anyId) });
const oneEvent = z.object({ subscriber: z.string().max(200), eventId: whole(anyId) });
const wishes = ['retry', 'drop'] as const;

const why: Readonly<Record<ActRefusal, string>> = {
  missing: 'This one is not among the dead letters any more: somebody was faster.',
  nothing_to_do: 'The session of this message has ended; its chat goes on in another one. Drop it.',
  busy: 'A worker holds this session just now. Try again when it has answered, or release its lease first.',
};

/** Messages that no turn could take, and events that a hook did not take. */
export function deadRoutes(deps: PagesDeps): Hono {
  const app = new Hono();
  const { boards, actions, hooks, queue, logger } = deps;
  app.get('/api/dead', async (c) => {
    const [messages, events] = await Promise.all([boards.deadMessages(listed), hooks.dead(listed)]);
    return c.json({ messages, events });
  });
  app.get('/api/dead/messages/:sessionId/:seq', async (c) => {
    const found = await boards.deadMessage(readQuery(c, oneMessage));
    return found ? c.json(found) : refused(c, 'missing');
  });
  for (const wish of wishes) {
    app.post(`/api/dead/messages/:sessionId/:seq/${wish}`, operatorsOnly, csrfGuard, async (c) => {
      const which = readQuery(c, oneMessage);
      const settle = wish === 'retry' ? actions.retryMessage : actions.dropMessage;
      const refusal = await settle(which, actorOf(c));
      if (refusal) return refused(c, refusal);
      if (wish === 'drop') return c.json({ done: 'Dropped: nobody will answer it.' });
      await queue.wake(which.sessionId).catch(() => {
        logger.warn({ sessionId: which.sessionId }, 'wake-up not queued; the sweeper will find the message');
      });
      return c.json({ done: 'It is answered next.' });
    });
    app.post(`/api/dead/events/:subscriber/:eventId/${wish}`, operatorsOnly, csrfGuard, async (c) => {
      const isDone = await hooks.settleDead(readQuery(c, oneEvent), wish, actorOf(c));
      if (!isDone) return refused(c, 'missing');
      return c.json({ done: wish === 'retry' ? 'It is told again.' : 'Dropped: the hook is not told.' });
    });
  }
  return app;
}

function refused(c: Context, refusal: ActRefusal): Response {
  if (refusal === 'missing') return refuse(c, 404, { code: 'row_missing', message: why.missing });
  return refuse(c, 409, { code: 'not_done', message: why[refusal] });
}
