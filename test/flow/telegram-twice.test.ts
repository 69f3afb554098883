/** One message that comes again and again, by both roads that Telegram has: it is answered once. */
import { startGateway } from '@palimpsest/gateway';
import { startFakeTelegram, type FakeTelegram } from '@palimpsest/testkit';
import { describe, expect, test } from 'vitest';
import { mountWebhook } from '../../apps/cli/src/mount-webhook.ts';
import { withClient } from '../../packages/testkit/src/database/with-client.ts';
import { door } from '../support/busy-world.ts';
import { startPages } from '../support/dashboard.ts';
import { adapterOf, botApiSchema } from '../support/fake-telegram.ts';
import { recordingMeter } from '../support/recording-meter.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

const chatId = 4_242;
const path = '/telegram/webhook';
const webhookSecret = 'a_secret-of-256-at-most';

type Update = ReturnType<FakeTelegram['userSends']>;

/** A world without a gateway for Telegram, and the two ways to run one there. */
async function openRoads(telegram: FakeTelegram, world: TurnWorld) {
  let webhook: Parameters<typeof mountWebhook>[1] = null;
  const pages = await startPages({
    deps: {
      mount: (app) => mountWebhook(app, { path, handle: (call) => webhook!.handle(call) }),
    },
  });
  const webhookUrl = `${pages.url}${path}`;
  const { store, queue, workerDeps } = world;
  const { meter, counted } = recordingMeter();
  const deps = { ...workerDeps, store, queue, meter, owner: 'telegram' };
  return {
    /** Two polls in a row bring it. */
    async polling(update: Update) {
      const body = JSON.stringify({ ok: true, result: [update] });
      for (let times = 1; times <= 2; times++) telegram.answerRawNext('getUpdates', 200, body);
      const before = telegram.requestsTo('getUpdates').length;
      const gateway = startGateway(deps, [adapterOf(telegram, { webhookUrl })]);
      await until(() => telegram.requestsTo('getUpdates').length >= before + 3);
      return gateway;
    },
    /** Telegram calls twice with it. */
    async webhook(update: Update) {
      const adapter = adapterOf(telegram, { mode: 'webhook', webhookUrl, webhookSecret });
      webhook = adapter.webhook;
      while (telegram.pendingUpdates().length < 2) telegram.pushUpdate(structuredClone(update));
      const gateway = startGateway(deps, [adapter]);
      await until(() => telegram.pendingUpdates().length === 0);
      return gateway;
    },
    results: () => counted('gateway_inbound_updates_total').map(({ result }) => result),
    [Symbol.asyncDispose]: () => pages.close(),
  };
}

const orders = [
  ['polling', 'webhook'],
  ['webhook', 'polling'],
] as const;

describe.skipIf(botApiSchema.missing)('the same update', () => {
  test.each(
    orders.flatMap((order) => [
      { order, when: 'while it is answered' },
      { order, when: 'after it was answered' },
    ]),
  )('G2 by $order.0 and then by $order.1, twice each, is one turn: $when', async ({ order, when }) => {
    await using telegram = await startFakeTelegram({ schemaPath: botApiSchema.path, liftRateLimits: true });
    telegram.addChat({ id: chatId, type: 'private', first_name: 'Ada' });
    const answering = door();
    let calls = 0;
    await using world = await openTurnWorld({
      async script() {
        calls += 1;
        await answering.opened;
        return { text: `answer ${calls}` };
      },
      config: `platforms: {telegram: {allowed_users: [${chatId}]}}`,
    });
    await using roads = await openRoads(telegram, world);
    const update = telegram.userSends({ chatId, text: 'when does the ferry leave?' });
    const isAnswered = () => until(() => telegram.sent(chatId).length > 0);

    const first = await roads[order[0]](update);
    await until(() => calls === 1);
    if (when === 'after it was answered') {
      answering.open();
      await isAnswered();
    }
    await first.stop();
    const second = await roads[order[1]](update);
    answering.open();
    await isAnswered();
    telegram.userSends({ chatId, text: 'and back?' });
    await until(() => telegram.sent(chatId).length > 1);
    await second.stop();

    expect(roads.results()).toEqual(['stored', 'duplicate', 'duplicate', 'duplicate', 'stored']);
    expect(telegram.sent(chatId).map(({ text }) => text)).toEqual(['answer 1', 'answer 2']);
    const { rows } = await withClient(world.databaseUrl, (client) =>
      client.query(`SELECT (SELECT count(*)::int FROM turns) AS turns, count(*)::int AS waited FROM mailbox`),
    );
    expect(rows).toEqual([{ turns: 2, waited: 2 }]);
    expect(telegram.violations).toEqual([]);
  });
});
