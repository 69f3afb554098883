/**
 * Strangers, and updates that are meant to do harm, at the route that Telegram calls. Forged secrets and bodies of no
 * known shape stand in test/contracts/telegram-webhook.test.ts; that a replayed update is one row, in
 * test/integration/store-intake.test.ts.
 */
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { mountWebhook } from '../../apps/cli/src/mount-webhook.ts';
import { startPages } from '../support/dashboard.ts';
import { botApiSchema } from '../support/fake-telegram.ts';
import { openAdapter, soon, type AdapterWorld } from '../support/telegram-adapter.ts';

const webhookSecret = 'a_secret-of-256-at-most';
const megabyte = 1024 * 1024;

async function openRoute() {
  let world: AdapterWorld | null = null;
  const path = '/telegram/webhook';
  const handle = (call: Parameters<NonNullable<AdapterWorld['adapter']['webhook']>['handle']>[0]) =>
    world!.adapter.webhook!.handle(call);
  const pages = await startPages({ deps: { mount: (app) => mountWebhook(app, { path, handle }) } });
  const url = `${pages.url}${path}`;
  world = await openAdapter({ adapter: { mode: 'webhook', webhookUrl: url, webhookSecret } });
  const opened = world;
  opened.start();
  await soon(() => expect(opened.fake.requestsTo('getWebhookInfo')).toHaveLength(1));
  return {
    store: opened.store,
    url,
    post: (body: BodyInit, headers: Record<string, string> = {}) =>
      fetch(url, {
        method: 'POST',
        headers: { 'x-telegram-bot-api-secret-token': webhookSecret, ...headers },
        body,
      }),
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await pages.close();
    },
  };
}

interface Flood {
  status: number | null;
  /** Bytes that we could hand over before the answer came or the line was cut. */
  bytes: number;
}

/** Send pieces for as long as somebody takes them. */
function flood(url: string, headers: Record<string, string>, mostBytes: number): Promise<Flood> {
  return new Promise((resolve) => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    const sent: Flood = { status: null, bytes: 0 };
    const call = request(url, { method: 'POST', headers }, (response) => {
      sent.status = response.statusCode ?? 0;
      call.destroy();
    });
    call.on('error', () => resolve(sent));
    call.on('close', () => resolve(sent));
    const push = (): void => {
      while (!call.destroyed && sent.bytes < mostBytes) {
        sent.bytes += piece.length;
        if (!call.write(piece)) return void call.once('drain', push);
      }
      call.end();
    };
    push();
  });
}

describe.skipIf(botApiSchema.missing)('the route that Telegram calls', () => {
  test('a body without end is refused after its first megabyte, with a right secret or a wrong one', async () => {
    await using route = await openRoute();

    for (const [secret, status] of [
      [webhookSecret, 413],
      ['wrong', 401],
    ] as const) {
      const sent = await flood(route.url, { 'x-telegram-bot-api-secret-token': secret }, 256 * megabyte);

      expect(sent.status).toBe(status);
      // What lies in the buffers of both ends of the line comes on top.
      expect(sent.bytes).toBeLessThan(64 * megabyte);
    }
    expect(route.store.calls).toBe(0);
  });

  test('a packed body is not unpacked: its few bytes are no JSON', async () => {
    await using route = await openRoute();

    const answer = await route.post(gzipSync(Buffer.alloc(64 * megabyte, ' ')), {
      'content-encoding': 'gzip',
    });

    expect([answer.status, await answer.text()]).toEqual([400, 'not JSON']);
    expect(route.store.calls).toBe(0);
  });

  test.each(['message', 'edited_message', 'callback_query', 'something_new'])(
    'an update of a hundred thousand levels is taken once and stops nothing (%s)',
    async (kind) => {
      await using route = await openRoute();
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
      const update = `{"update_id":1,"${kind}":{"message_id":1,"date":1,"chat":{"id":5,"type":"private"},"text":"x","deep":${deep}}}`;

      const statuses = [(await route.post(update)).status];
      await route.post(
        '{"update_id":2,"message":{"message_id":2,"date":1,"chat":{"id":5,"type":"private"},"from":{"id":5,"is_bot":false,"first_name":"A"},"text":"behind it"}}',
      );

      // Anything else would make Telegram send it again and again.
      expect(statuses).toEqual([200]);
      expect(route.store.texts()).toContain('behind it');
    },
  );
});
