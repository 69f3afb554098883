/** Sending: what each answer of Telegram, and each answer that is missing, means for a reply. */
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { ChatPlace, OutgoingPart } from '@palimpsest/core';
import { botApiSchema } from '../support/fake-telegram.ts';
import { openAdapter } from '../support/telegram-adapter.ts';

const direct: ChatPlace = { chatId: '5', threadId: '', kind: 'direct' };
const running = (): AbortSignal => new AbortController().signal;

function part(fields: Partial<OutgoingPart> = {}): OutgoingPart {
  return { place: direct, text: 'hello', nonce: 'n1', ...fields };
}

/** A world in which chat 5 has written once, as message 1. */
async function openChat() {
  const world = await openAdapter();
  world.fake.userSends({ chatId: 5, text: 'hi' });
  return world;
}

describe.skipIf(botApiSchema.missing)('a message', () => {
  test('arrives as it was written, without formatting and link previews, as an answer', async () => {
    await using world = await openChat();
    const text = '**Not** <b>bold</b> _at_ all: https://example.com & \\';

    const result = await world.adapter.sender.send(part({ text, replyToMessageId: '1' }), running());

    expect(result).toEqual({ kind: 'sent', platformMessageId: '2' });
    expect(world.fake.sent(5)).toMatchObject([{ text }]);
    expect(world.fake.requestsTo('sendMessage').map(({ params }) => params)).toEqual([
      {
        chat_id: 5,
        text,
        link_preview_options: { is_disabled: true },
        reply_parameters: { message_id: 1, allow_sending_without_reply: true },
      },
    ]);
    expect(world.fake.violations).toEqual([]);
  });

  test('an answer to a message that was deleted is sent all the same', async () => {
    await using world = await openChat();

    expect(await world.adapter.sender.send(part({ replyToMessageId: '999' }), running())).toMatchObject({
      kind: 'sent',
    });
  });

  test('parts leave room for the mark of a repeat and are all taken', async () => {
    await using world = await openChat();
    const parts = world.adapter.sender.split('😀 wörd '.repeat(2000), 'plain');

    for (const { text } of parts)
      expect(
        await world.adapter.sender.send(part({ text: `(this may be a repeat)\n${text}` }), running()),
      ).toMatchObject({ kind: 'sent' });

    expect(parts.map(({ text }) => text.length <= 4032)).toEqual([true, true, true, true]);
    expect(world.fake.sent(5)).toHaveLength(4);
  });

  test('an empty answer is something that Telegram takes', async () => {
    await using world = await openChat();
    const [empty] = world.adapter.sender.split(' \n ', 'plain');

    expect(await world.adapter.sender.send(part({ text: empty!.text }), running())).toMatchObject({
      kind: 'sent',
    });
    expect(world.fake.sent(5)).toMatchObject([{ text: '(empty message)' }]);
  });
});

describe.skipIf(botApiSchema.missing)('refusals', () => {
  test.each([
    [
      {
        error_code: 429,
        description: 'Too Many Requests: retry after 13938',
        parameters: { retry_after: 13938 },
      },
      { kind: 'wait', waitMs: 13_938_000, scope: 'chat' },
    ],
    [
      { error_code: 429, description: 'Too Many Requests' },
      { kind: 'wait', waitMs: 5000, scope: 'chat' },
    ],
    [
      { error_code: 403, description: 'Forbidden: bot was blocked by the user' },
      { kind: 'unreachable', message: 'Forbidden: bot was blocked by the user' },
    ],
    [
      { error_code: 403, description: 'Forbidden: user is deactivated' },
      { kind: 'unreachable', message: 'Forbidden: user is deactivated' },
    ],
    [
      { error_code: 400, description: 'Bad Request: chat not found' },
      { kind: 'unreachable', message: 'Bad Request: chat not found' },
    ],
    [
      { error_code: 400, description: 'Bad Request: not enough rights to send text messages to the chat' },
      { kind: 'unreachable', message: 'Bad Request: not enough rights to send text messages to the chat' },
    ],
    [
      {
        error_code: 400,
        description: 'Bad Request: group chat was upgraded to a supergroup chat',
        parameters: { migrate_to_chat_id: -1007 },
      },
      { kind: 'moved', toChatId: '-1007' },
    ],
    [
      { error_code: 400, description: 'Bad Request: message is too long' },
      { kind: 'failed', message: 'Bad Request: message is too long' },
    ],
    [
      { error_code: 401, description: 'Unauthorized' },
      { kind: 'retry', message: 'Telegram refuses the token; put a valid one into TELEGRAM_BOT_TOKEN' },
    ],
    [
      { error_code: 500, description: 'Internal Server Error' },
      { kind: 'retry', message: 'Internal Server Error' },
    ],
    [
      { error_code: 502, description: 'Bad Gateway' },
      { kind: 'retry', message: 'Bad Gateway' },
    ],
    [
      { error_code: 504, description: 'Gateway Timeout' },
      { kind: 'unknown', message: 'Gateway Timeout' },
    ],
  ])('%j', async (refusal, expected) => {
    await using world = await openChat();
    world.fake.failNext('sendMessage', refusal);

    expect(await world.adapter.sender.send(part(), running())).toEqual(expected);
    expect(world.fake.sent(5)).toEqual([]);
  });

  test('a refused token is logged with what to do', async () => {
    await using world = await openChat();
    world.fake.failNext('sendMessage', { error_code: 401, description: 'Unauthorized' });

    await world.adapter.sender.send(part(), running());

    expect(world.logs).toMatchObject([
      { level: 'error', message: 'Telegram refuses the token; put a valid one into TELEGRAM_BOT_TOKEN' },
    ]);
  });

  test('a chat that blocked us, one that threw us out and one that moved, as the server says it', async () => {
    await using world = await openChat();
    world.fake.addChat({ id: -6, type: 'group' });
    world.fake.addChat({ id: -7, type: 'group' });
    world.fake.setChatStatus(5, 'blocked');
    world.fake.setChatStatus(-6, 'kicked');
    world.fake.migrateChat(-7, -1007, 5);
    const send = (chatId: string) =>
      world.adapter.sender.send(part({ place: { chatId, threadId: '', kind: 'group' } }), running());

    expect([
      await send('5'),
      await send('-6'),
      await send('-7'),
      await send('-1007'),
      await send('-999'),
    ]).toMatchObject([
      { kind: 'unreachable' },
      { kind: 'unreachable' },
      { kind: 'moved', toChatId: '-1007' },
      { kind: 'sent' },
      { kind: 'unreachable' },
    ]);
  });

  test('a flooded chat waits as long as the server says', async () => {
    await using world = await openChat();
    world.fake.floodChat(5, 31);

    expect(await world.adapter.sender.send(part(), running())).toEqual({
      kind: 'wait',
      waitMs: 31_000,
      scope: 'chat',
    });
  });
});

describe.skipIf(botApiSchema.missing)('answers that do not come', () => {
  test('a line cut after the message went out leaves the result unknown', async () => {
    await using world = await openChat();
    world.fake.dropAnswerNext('sendMessage');

    expect(await world.adapter.sender.send(part(), running())).toMatchObject({ kind: 'unknown' });
    expect(world.fake.sent(5)).toHaveLength(1);
  });

  test('so does one cut before, since nobody can tell', async () => {
    await using world = await openChat();
    world.fake.refuseAnswerNext('sendMessage');

    expect(await world.adapter.sender.send(part(), running())).toMatchObject({ kind: 'unknown' });
  });

  test("a proxy's 502 page and its refusals are tried again, a page with 200 or 504 is unknown", async () => {
    await using world = await openChat();
    const results = [];
    for (const status of [502, 403, 404, 200, 504]) {
      world.fake.answerRawNext('sendMessage', status, '<html></html>');
      results.push((await world.adapter.sender.send(part(), running())).kind);
    }

    expect(results).toEqual(['retry', 'retry', 'retry', 'unknown', 'unknown']);
    expect(world.logs).toEqual([]);
  });

  test('a server nobody listens on is tried again: nothing can have been sent', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    await using world = await openAdapter({ adapter: { apiRoot: `http://127.0.0.1:${port}` } });

    expect(await world.adapter.sender.send(part(), running())).toEqual({
      kind: 'retry',
      message: 'no connection to Telegram: connect ECONNREFUSED',
    });
  });

  test('stopping before the call sends nothing; stopping during it waits for the answer', async () => {
    await using world = await openChat();
    const stopping = new AbortController();
    const held = world.fake.holdNext('sendMessage');

    const sending = world.adapter.sender.send(part(), stopping.signal);
    await held.reached;
    stopping.abort();
    held.release();

    expect(await sending).toMatchObject({ kind: 'sent' });
    expect(await world.adapter.sender.send(part(), stopping.signal)).toEqual({
      kind: 'retry',
      message: 'stopping',
    });
    expect(world.fake.sent(5)).toHaveLength(1);
  });

  test('the token is in no result', async () => {
    await using world = await openChat();
    world.fake.dropAnswerNext('sendMessage');

    expect(JSON.stringify(await world.adapter.sender.send(part(), running()))).not.toContain('fake_token');
  });
});

describe.skipIf(botApiSchema.missing)('what delivery is told', () => {
  test('repeats are not safe, typing lasts under five seconds', async () => {
    await using world = await openAdapter();
    const { sender } = world.adapter;

    expect([sender.repeatIsSafe, sender.typingEveryMs, sender.account]).toEqual([
      false,
      4500,
      { platform: 'telegram', id: '7000000001' },
    ]);
  });
});
