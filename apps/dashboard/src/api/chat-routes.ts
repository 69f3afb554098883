import type { StoredUpdate } from '@palimpsest/core';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { LocalIntake, PagesDeps } from '../deps.ts';
import { inputInvalid, refuse } from '../error-response.ts';
import { originGuard } from '../guards/origin-guard.ts';
import { ChatFeed } from '../live/chat-feed.ts';
import { eventStream } from '../live/event-stream.ts';
import type { NoticeHub } from '../live/notice-hub.ts';
import { LastReplies } from './last-replies.ts';
import { numberIn } from './number-in.ts';

/** A long document pasted into the chat still fits; what is above is refused before it is read. */
const largestBodyBytes = 8 * 1024 * 1024;
const idShape = /^[\w-]{1,64}$/;
/** Everybody who may open these pages is the same local person to the bot. */
const sender = { senderId: 'local', senderName: 'Local user' };

/** The local web chat: write, read, listen. */
export function chatRoutes(deps: PagesDeps, intake: LocalIntake, hub: NoticeHub): Hono {
  const lastReplies = new LastReplies(deps.localChat);
  const app = new Hono();
  app.post(
    '/api/chat/:chatId/messages',
    bodyLimit({ maxSize: largestBodyBytes, onError: tooLarge }),
    async (c) => {
      const message = { chatId: chatIdOf(c), ...sender, sentAt: deps.clock.now(), ...(await readMessage(c)) };
      return accepted(c, await intake.submit(message));
    },
  );
  app.get('/api/chat/:chatId/history', async (c) => {
    const chatId = chatIdOf(c);
    const limit = numberIn(c.req.query('limit'), { least: 1, most: 5_000, usual: 200 });
    // The id first: a reply that comes in between is then told twice, and not never.
    const lastEventId = await lastReplies.idOf(chatId);
    const lines = await deps.localChat.history(chatId, limit);
    return c.json({ lines, lastEventId, more: lines.length >= limit });
  });
  app.get('/api/chat/:chatId/events', originGuard, async (c) => {
    const chatId = chatIdOf(c);
    const asked = c.req.header('last-event-id') ?? c.req.query('after');
    const most = Number.MAX_SAFE_INTEGER;
    const afterId =
      asked === undefined ? await lastReplies.idOf(chatId) : numberIn(asked, { least: 0, most, usual: 0 });
    const feed = new ChatFeed(deps.localChat, chatId, afterId);
    return eventStream(c, feed, { bell: hub.bellOf(feed), clock: deps.clock });
  });
  return app;
}

function chatIdOf(c: Context): string {
  const chatId = c.req.param('chatId') ?? '';
  if (idShape.test(chatId)) return chatId;
  throw inputInvalid(`a chat id has 1 to 64 letters, digits, - or _ (${chatId.length} characters seen)`);
}

async function readMessage(c: Context): Promise<{ messageId: string; text: string; edits?: string }> {
  const body: unknown = await c.req.json().catch(() => null);
  if (typeof body !== 'object' || body === null)
    throw inputInvalid('the body is no JSON object; send {"id", "text"}');
  const { id, text, edits } = body as Record<string, unknown>;
  if (typeof id !== 'string' || !idShape.test(id))
    throw inputInvalid('id has 1 to 64 letters, digits, - or _');
  if (typeof text !== 'string' || text.trim() === '') throw inputInvalid('text is empty; write something');
  if (edits === undefined || edits === null) return { messageId: id, text };
  if (typeof edits !== 'string' || !idShape.test(edits))
    throw inputInvalid('edits is the id of an older message');
  return { messageId: id, text, edits };
}

/** 202 only now: `submit` came back, so the message is committed. */
function accepted(c: Context, stored: StoredUpdate): Response {
  switch (stored.result) {
    case 'stored':
    case 'duplicate':
      return c.json({ result: stored.result }, 202);
    case 'denied':
      return refuse(c, 403, {
        code: 'not_allowed',
        message: 'An operator has closed this chat for the local page.',
      });
    default:
      return refuse(c, 422, {
        code: 'input_invalid',
        message: `The message was kept but cannot be answered (${stored.reason ?? stored.result}).`,
      });
  }
}

function tooLarge(c: Context): Response {
  const message = `The message is larger than ${largestBodyBytes / 1024 / 1024} MB. Send it in pieces; nothing of it was stored.`;
  return refuse(c, 413, { code: 'input_invalid', message });
}
