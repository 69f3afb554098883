/** Webhook mode: 200 only for what is committed, and nothing for strangers. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { createTelegramAdapter, type TelegramWebhook, type WebhookAnswer } from '@palimpsest/platforms';
import { silentLogger, silentMeter, systemClock } from '@palimpsest/core';
import { botApiSchema } from '../support/fake-telegram.ts';
import { openAdapter, soon, type AdapterWorld } from '../support/telegram-adapter.ts';

const webhookSecret = 'a_secret-of-256-at-most';

/** A web server as the gateway has one, in front of the adapter's route. */
async function openDoor(webhook: () => TelegramWebhook | null) {
  const statuses: number[] = [];
  const server = createServer(async (request, response) => {
    const secret = request.headers['x-telegram-bot-api-secret-token'];
    const body = await buffer(request);
    const answer = await webhook()!.handle({ secret: typeof secret === 'string' ? secret : null, body });
    statuses.push(answer.status);
    response.writeHead(answer.status).end(answer.body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/telegram/webhook`,
    statuses,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function openWebhook() {
  let world: AdapterWorld | null = null;
  const door = await openDoor(() => world?.adapter.webhook ?? null);
  world = await openAdapter({ adapter: { mode: 'webhook', webhookUrl: door.url, webhookSecret } });
  const opened = world;
  return {
    world: opened,
    door,
    handle: (body: string | Uint8Array, secret: string | null = webhookSecret): Promise<WebhookAnswer> =>
      opened.adapter.webhook!.handle({
        secret,
        body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
      }),
    /** Start and wait until Telegram knows the address. */
    async listen() {
      const run = opened.start();
      await soon(() => expect(opened.fake.requestsTo('getWebhookInfo')).toHaveLength(1));
      return run;
    },
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await door[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(botApiSchema.missing)('webhook mode', () => {
  test('sets the webhook with secret and kinds, and drops nothing that waits', async () => {
    await using open = await openWebhook();
    open.world.fake.userSends({ chatId: 5, text: 'written while we were away' });

    await open.listen();

    expect(await open.world.store.waitForTexts(1)).toEqual(['written while we were away']);
    expect(open.world.fake.requestsTo('setWebhook').map(({ params }) => params)).toEqual([
      {
        url: open.door.url,
        secret_token: webhookSecret,
        allowed_updates: ['message', 'edited_message', 'stopped_message_generation'],
      },
    ]);
    expect(open.world.fake.violations).toEqual([]);
  });

  test('answers 200 only after the commit', async () => {
    await using open = await openWebhook();
    await open.listen();
    const gate = Promise.withResolvers<void>();
    open.world.store.gate = gate.promise;

    open.world.fake.userSends({ chatId: 5, text: 'hi' });
    await soon(() => expect(open.world.store.calls).toBe(1));
    const before = [...open.door.statuses];
    gate.resolve();
    await soon(() => expect(open.door.statuses).toEqual([200]));

    expect(before).toEqual([]);
    expect(open.world.store.texts()).toEqual(['hi']);
  });

  test('answers 503 while the database is away, and the update arrives later, once', async () => {
    await using open = await openWebhook();
    await open.listen();
    open.world.store.failures = 2;

    open.world.fake.userSends({ chatId: 5, text: 'hi' });
    await soon(() => expect(open.world.fake.pendingUpdates()).toEqual([]));

    expect(open.door.statuses).toEqual([503, 503, 200]);
    expect(open.world.store.texts()).toEqual(['hi']);
  });

  test.each([[null], [''], ['wrong'], [`${webhookSecret}x`]])(
    'a call with the secret %j is refused and leaves no row',
    async (secret) => {
      await using open = await openWebhook();
      await open.listen();

      expect(await open.handle('{"update_id":1}', secret)).toEqual({ status: 401, body: 'wrong secret' });
      expect(open.world.store.calls).toBe(0);
    },
  );

  test('a body over 1 MB and one that is no JSON are refused and leave no row', async () => {
    await using open = await openWebhook();
    await open.listen();

    expect((await open.handle(new Uint8Array(1024 * 1024 + 1))).status).toBe(413);
    expect((await open.handle('{"update_id":1')).status).toBe(400);
    expect(open.world.store.calls).toBe(0);
  });

  test('an update nobody can read is stored as it came and taken', async () => {
    await using open = await openWebhook();
    await open.listen();

    expect(await open.handle('{"update_id":1, "message":{"thumb":1}}')).toEqual({ status: 200, body: '' });
    const [stored] = open.world.store.updates();
    expect(stored?.content).toEqual({ kind: 'unparsed', problem: 'a message without message_id' });
    expect(new TextDecoder().decode(stored?.raw)).toBe('{"update_id":1, "message":{"thumb":1}}');
  });

  test('asks Telegram to come again while nobody can store', async () => {
    await using open = await openWebhook();

    const before = await open.handle('{"update_id":1}');
    const run = await open.listen();
    const meanwhile = await open.handle('{"update_id":1}');
    await run.stop();
    const after = await open.handle('{"update_id":1}');

    expect([before.status, meanwhile.status, after.status]).toEqual([503, 200, 503]);
  });

  test('the same update by polling and by webhook has one key and one content', async () => {
    await using polling = await openAdapter();
    await using open = await openWebhook();
    await open.listen();
    const update = polling.fake.userSends({ chatId: 5, text: 'hi' });

    polling.start();
    await polling.store.waitForTexts(1);
    await open.handle(JSON.stringify(update));

    expect(open.world.store.updates()).toEqual(polling.store.updates());
  });

  test('what waits at Telegram is exported, and an address that somebody else set is told', async () => {
    await using open = await openWebhook();
    await open.listen();
    const pending = 'gateway_telegram_webhook_pending_updates 7000000001';
    await soon(() => expect(open.world.figures.get(pending)).toBe(0));

    await open.world.api.setWebhook('https://other.example/hook');
    await open.world.clock.passSleep(60_000);
    await soon(() => expect(open.world.figures.get('gateway_telegram_conflicts_total 7000000001')).toBe(1));

    expect(open.world.logs.at(-1)).toMatchObject({
      level: 'warn',
      message: expect.stringContaining('no longer ours'),
    });
  });

  test('a server error at setWebhook is waited out', async () => {
    await using open = await openWebhook();
    open.world.fake.failNext('setWebhook', { error_code: 500, description: 'Internal Server Error' });

    const listening = open.listen();
    await open.world.clock.passSleep(500);
    await listening;

    expect(open.world.fake.requestsTo('setWebhook').map(({ outcome }) => outcome)).toEqual([500, 'ok']);
  });
});

describe('settings', () => {
  const settings = {
    token: '7000000001:some_token',
    apiRoot: null,
    mode: 'webhook' as const,
    webhookUrl: 'https://ours.example/telegram/webhook',
    webhookSecret,
    logger: silentLogger,
    meter: silentMeter,
    clock: systemClock,
  };

  test.each([
    [{ webhookUrl: null }, 'webhook_url is not set'],
    [{ webhookSecret: null }, 'TELEGRAM_WEBHOOK_SECRET is not set'],
    [{ webhookSecret: 'with spaces' }, 'TELEGRAM_WEBHOOK_SECRET is malformed (11 characters)'],
    [{ token: 'nonsense' }, 'TELEGRAM_BOT_TOKEN is no bot token (8 characters'],
  ])('%j is refused with what to do', (wrong, message) => {
    expect(() => createTelegramAdapter({ ...settings, ...wrong })).toThrow(message);
  });

  test('an API root may end in a slash, and polling has no route', () => {
    const adapter = createTelegramAdapter({ ...settings, mode: 'polling', apiRoot: 'http://127.0.0.1:1/' });

    expect(adapter.webhook).toBeNull();
    expect(adapter.listener.account).toEqual({ platform: 'telegram', id: '7000000001' });
  });
});
