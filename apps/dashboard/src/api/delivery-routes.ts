import { Hono, type Context } from 'hono';
import { z } from 'zod';
import type { ActRefusal } from '@palimpsest/core';
import type { PagesDeps } from '../deps.ts';
import { refuse } from '../error-response.ts';
import { csrfGuard, operatorsOnly } from '../guards/person.ts';
import { actorOf } from './actor-of.ts';
import { pageSize, readQuery, whole } from './read-query.ts';

const anyId = { least: 1, most: Number.MAX_SAFE_INTEGER, usual: Number.MAX_SAFE_INTEGER };
const replyPage = z.object({
  before: whole(anyId),
  limit: pageSize(50),
  state: z.enum(['unknown', 'dead', 'failed']).optional(),
});
const oneReply = z.object({ id: whole(anyId) });

const why: Readonly<Record<ActRefusal, string>> = {
  missing: 'This reply is not among the troubled ones any more: somebody was faster.',
  nothing_to_do:
    'Every part of this reply has its receipt: it arrived, perhaps twice, and nothing is left to send. Drop it.',
  busy: 'It is being sent just now.',
};

/** Replies that did not reach their chat for certain. */
export function deliveryRoutes(deps: PagesDeps): Hono {
  const app = new Hono();
  const { boards, actions, queue, logger } = deps;
  app.get('/api/deliveries', async (c) => {
    const { before, limit, state } = readQuery(c, replyPage);
    const replies = await boards.deliveries({ limit, beforeId: before, ...(state ? { state } : {}) });
    return c.json({ replies, next: replies.length < limit ? null : (replies.at(-1)?.id ?? null) });
  });
  app.get('/api/deliveries/:id', async (c) => {
    const found = await boards.delivery(readQuery(c, oneReply).id);
    return found ? c.json(found) : refused(c, 'missing');
  });
  app.post('/api/deliveries/:id/retry', operatorsOnly, csrfGuard, async (c) => {
    const end = await actions.retryDelivery(readQuery(c, oneReply).id, actorOf(c));
    if (typeof end === 'string') return refused(c, end);
    await queue.deliver(end.account).catch(() => {
      logger.warn({ account: end.account }, 'sender not woken; the sweeper will find the reply');
    });
    return c.json({ done: 'It is on its way again.' });
  });
  app.post('/api/deliveries/:id/drop', operatorsOnly, csrfGuard, async (c) => {
    const refusal = await actions.dropDelivery(readQuery(c, oneReply).id, actorOf(c));
    return refusal ? refused(c, refusal) : c.json({ done: 'Dropped: nobody will send it.' });
  });
  return app;
}

function refused(c: Context, refusal: ActRefusal): Response {
  if (refusal === 'missing') return refuse(c, 404, { code: 'row_missing', message: why.missing });
  return refuse(c, 409, { code: 'not_done', message: why[refusal] });
}
