/** Webhooks of the fake, as the real server does them. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { botApiSchema, openTelegram, refusalOf } from '../support/fake-telegram.ts';

describe.skipIf(botApiSchema.missing)('webhook', () => {
  test('while one is set, getUpdates is refused with 409', async () => {
    await using world = await openTelegram();
    await using hook = await openHook();
    await world.api.setWebhook(hook.url);

    const refused = await refusalOf(world.api.getUpdates());
    await world.api.deleteWebhook();

    expect(refused).toEqual([
      409,
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    ]);
    expect(await world.api.getUpdates()).toEqual([]);
  });

  test('setting one ends a held getUpdates', async () => {
    await using world = await openTelegram();
    await using hook = await openHook();

    const held = refusalOf(world.api.getUpdates({ timeout: 50 }));
    await expect.poll(() => world.fake.requests.length).toBe(1);
    await world.api.setWebhook(hook.url);

    expect(await held).toEqual([409, 'Conflict: terminated by setWebhook request']);
  });

  test('updates are pushed with the secret exactly as set', async () => {
    await using world = await openTelegram();
    await using hook = await openHook();
    await world.api.setWebhook(hook.url, { secret_token: 'aZ_9-' });

    world.fake.userSends({ chatId: 5, text: 'pushed' });
    await expect.poll(() => hook.taken).toEqual(['pushed']);

    expect(hook.headers[0]?.['x-telegram-bot-api-secret-token']).toBe('aZ_9-');
    expect((await world.api.getWebhookInfo()).pending_update_count).toBe(0);
    expect(world.fake.violations).toEqual([]);
  });

  test('a refused push is repeated, order is kept in the chat and other chats go on', async () => {
    await using world = await openTelegram({ webhookRetryMs: 1 });
    await using hook = await openHook();
    hook.refuse = (text) => text === 'one';
    await world.api.setWebhook(hook.url);

    world.fake.userSends({ chatId: 5, text: 'one' });
    world.fake.userSends({ chatId: 5, text: 'two' });
    world.fake.userSends({ chatId: 6, text: 'other' });
    await expect.poll(() => hook.taken).toEqual(['other']);
    await expect.poll(() => hook.headers.length).toBeGreaterThan(3);
    const info = await world.api.getWebhookInfo();
    hook.refuse = () => false;
    await expect.poll(() => hook.taken).toEqual(['other', 'one', 'two']);

    expect(info).toMatchObject({
      url: hook.url,
      pending_update_count: 2,
      last_error_date: Date.UTC(2026, 8, 1, 12) / 1000,
      last_error_message: 'Wrong response from the webhook: 503 Service Unavailable',
    });
    expect((await world.api.getWebhookInfo()).pending_update_count).toBe(0);
  });

  test('what was not taken can be fetched after the webhook is gone', async () => {
    await using world = await openTelegram({ webhookRetryMs: 1, firstUpdateId: 1 });
    await using hook = await openHook();
    hook.refuse = () => true;
    await world.api.setWebhook(hook.url);
    world.fake.userSends({ chatId: 5, text: 'kept' });
    await expect.poll(() => hook.headers.length).toBeGreaterThan(0);

    await world.api.deleteWebhook();
    const kept = await world.api.getUpdates();
    await world.api.deleteWebhook({ drop_pending_updates: true });

    expect(kept.map(({ update_id }) => update_id)).toEqual([1]);
    expect(await world.api.getUpdates()).toEqual([]);
  });

  test('a method call in the answer is carried out', async () => {
    await using world = await openTelegram();
    await using hook = await openHook();
    hook.reply = { method: 'sendMessage', chat_id: 5, text: 'from the answer' };
    await world.api.setWebhook(hook.url);

    world.fake.userSends({ chatId: 5, text: 'hi' });
    const sent = await world.fake.waitForSent(({ text }) => text === 'from the answer');

    expect(sent.chatId).toBe(5);
    expect(world.fake.violations).toEqual([]);
  });

  test('an address without HTTPS and a secret with a blank are refused', async () => {
    await using world = await openTelegram();

    expect(await refusalOf(world.api.setWebhook('http://bot.example.com/x'))).toEqual([
      400,
      'Bad Request: bad webhook: An HTTPS URL must be provided for webhook',
    ]);
    expect(await refusalOf(world.api.setWebhook('https://bot.example.com:9000/x'))).toEqual([
      400,
      'Bad Request: bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443',
    ]);
    expect(
      await refusalOf(world.api.setWebhook('https://bot.example.com/x', { secret_token: 'a b' })),
    ).toEqual([400, 'Bad Request: secret token contains unallowed characters']);
  });
});

interface Hook extends AsyncDisposable {
  readonly url: string;
  /** Texts of the updates that were answered 200. */
  readonly taken: string[];
  /** Headers of all pushes. */
  readonly headers: IncomingHttpHeaders[];
  refuse: (text: string) => boolean;
  reply: unknown;
}

/** A bot's webhook address on loopback. */
async function openHook(): Promise<Hook> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const text: string = JSON.parse(body).message.text;
    hook.headers.push(request.headers);
    if (hook.refuse(text)) return response.writeHead(503).end();
    hook.taken.push(text);
    if (hook.reply === undefined) return response.end();
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(hook.reply));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const hook: Hook = {
    url: `http://127.0.0.1:${port}/hook`,
    taken: [],
    headers: [],
    refuse: () => false,
    reply: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return hook;
}
