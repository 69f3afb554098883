/** Polling: nothing is confirmed before it is stored, and nothing that Telegram does ends the loop. */
import { describe, expect, test } from 'vitest';
import { botApiSchema } from '../support/fake-telegram.ts';
import { openAdapter, soon, type AdapterWorld } from '../support/telegram-adapter.ts';

const bot = '7000000001';
const empty = '{"ok":true,"result":[]}';

describe.skipIf(botApiSchema.missing)('store first, confirm second', () => {
  test('an update is confirmed only after the store has returned', async () => {
    await using world = await openAdapter();
    const gate = Promise.withResolvers<void>();
    world.store.gate = gate.promise;
    world.fake.userSends({ chatId: 5, text: 'hi' });

    world.start();
    await soon(() => expect(world.store.calls).toBe(1));
    const before = world.fake.pendingUpdates().length;
    gate.resolve();
    await soon(() => expect(world.fake.pendingUpdates()).toEqual([]));

    expect(before).toBe(1);
    expect(world.store.texts()).toEqual(['hi']);
    expect(world.fake.violations).toEqual([]);
  });

  test('the first request has no offset, the next one the last id + 1, and none again once all is confirmed', async () => {
    await using world = await openAdapter();
    world.fake.userSends({ chatId: 5, text: 'one' });
    world.fake.userSends({ chatId: 5, text: 'two' });

    await pollTwice(world);

    const fixed = {
      limit: 100,
      timeout: 25,
      allowed_updates: ['message', 'edited_message', 'stopped_message_generation'],
    };
    expect(pollsOf(world)).toEqual([{ ...fixed, timeout: 1 }, { ...fixed, offset: 1002 }, fixed]);
    expect(world.store.batches.map((batch) => batch.map(({ updateKey }) => updateKey))).toEqual([
      ['1000', '1001'],
    ]);
    expect(world.fake.violations).toEqual([]);
  });

  test('ids that went down after a quiet week are taken all the same', async () => {
    await using world = await openAdapter();
    world.fake.userSends({ chatId: 5, text: 'before' });
    await pollTwice(world);

    world.fake.nextUpdateId = 12;
    world.fake.userSends({ chatId: 5, text: 'after' });

    expect(await world.store.waitForTexts(2)).toEqual(['before', 'after']);
    expect(world.store.updates().map(({ updateKey }) => updateKey)).toEqual(['1000', '12']);
  });

  test('while the store fails nothing is confirmed, and it is tried again with growing waits', async () => {
    await using world = await openAdapter();
    world.store.failures = 2;
    world.fake.userSends({ chatId: 5, text: 'hi' });

    world.start();
    await world.clock.passSleep(500);
    const whileFailing = {
      polls: world.fake.requestsTo('getUpdates').length,
      pending: world.fake.pendingUpdates().length,
    };
    await world.clock.passSleep(1000);
    await soon(() => expect(world.fake.pendingUpdates()).toEqual([]));

    expect(whileFailing).toEqual({ polls: 1, pending: 1 });
    expect(world.store.texts()).toEqual(['hi']);
    expect(world.store.calls).toBe(3);
    expect(world.logs.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'updates could not be stored; they stay unconfirmed and are tried again',
      'updates could not be stored; they stay unconfirmed and are tried again',
    ]);
  });

  test('an update that was stored and not confirmed comes again under the same key', async () => {
    await using world = await openAdapter();
    const gate = Promise.withResolvers<void>();
    world.store.gate = gate.promise;
    world.fake.userSends({ chatId: 5, text: 'hi' });

    const first = world.start();
    await soon(() => expect(world.store.calls).toBe(1));
    const stopped = first.stop();
    gate.resolve();
    await stopped;
    world.start();
    await world.store.waitForTexts(2);

    expect(world.store.updates().map(({ updateKey }) => updateKey)).toEqual(['1000', '1000']);
  });

  test('an update nobody can read is stored as unparsed and does not block the next one', async () => {
    await using world = await openAdapter();
    world.fake.pushUpdate({ update_id: 1000, message: { thumb: 1 } }, { checked: false });
    world.fake.userSends({ chatId: 5, text: 'hi' });

    world.start();
    await world.store.waitForTexts(1);

    const [poison] = world.store.updates();
    expect(poison?.content).toEqual({ kind: 'unparsed', problem: 'a message without message_id' });
    expect(new TextDecoder().decode(poison?.raw)).toBe('{"update_id":1000,"message":{"thumb":1}}');
  });

  test('mentions are known by the name that getMe gave', async () => {
    await using world = await openAdapter({ fake: { botUsername: 'other_name_bot' } });
    world.fake.addChat({ id: -1001, type: 'supergroup' });
    world.fake.userSends({ chatId: -1001, from: 5, text: 'hi @other_name_bot' });
    world.fake.userSends({ chatId: -1001, from: 5, text: 'hi all' });

    world.start();
    await world.store.waitForTexts(2);

    expect(
      world.store.updates().map(({ content }) => content.kind === 'message' && content.addressed),
    ).toEqual([true, false]);
  });
});

describe.skipIf(botApiSchema.missing)('409', () => {
  test('another poller is waited out for over a minute, counted and told, and polling goes on', async () => {
    await using world = await openAdapter();
    world.start();
    await soon(() => expect(world.fake.requestsTo('getUpdates')).toHaveLength(1));

    await world.api.getUpdates({ timeout: 0 });
    await world.clock.passSleep(65_000);
    world.fake.userSends({ chatId: 5, text: 'still there?' });

    expect(await world.store.waitForTexts(1)).toEqual(['still there?']);
    expect(world.figures.get(`gateway_telegram_conflicts_total ${bot}`)).toBe(1);
    expect(world.logs).toMatchObject([
      {
        level: 'warn',
        message:
          'another program polls with this bot token; stop it, or get a new token from @BotFather if you do not know it',
      },
    ]);
  });

  test("a webhook of somebody else stays, and the operator is told what to do, without the webhook's path", async () => {
    await using world = await openAdapter();
    await world.api.setWebhook('https://other.example/secret-path');

    world.start();
    await world.clock.passSleep(65_000);

    expect((await world.api.getWebhookInfo()).url).toBe('https://other.example/secret-path');
    expect(world.fake.requestsTo('deleteWebhook')).toEqual([]);
    expect(world.logs[0]?.message).toBe(
      'a webhook to other.example is set for this bot; remove it with deleteWebhook, or set platforms.telegram.mode to webhook',
    );
    expect(JSON.stringify(world.logs)).not.toContain('secret-path');
  });

  test('our own webhook is taken down without dropping what waits', async () => {
    const webhookUrl = 'https://ours.example/telegram/webhook';
    await using world = await openAdapter({ adapter: { webhookUrl } });
    await world.api.setWebhook(webhookUrl);
    world.fake.userSends({ chatId: 5, text: 'waiting' });

    world.start();

    expect(await world.store.waitForTexts(1)).toEqual(['waiting']);
    expect(world.fake.requestsTo('deleteWebhook').map(({ params }) => params)).toEqual([
      { drop_pending_updates: false },
    ]);
  });
});

describe.skipIf(botApiSchema.missing)('trouble', () => {
  test('a refused token ends this bot and names the variable to correct, never the token', async () => {
    await using world = await openAdapter();
    await using refused = await openAdapter({
      adapter: { token: `${bot}:revoked_token`, apiRoot: world.fake.apiRoot },
    });

    await expect(refused.start().ended).rejects.toMatchObject({
      code: 'platform_unauthorised',
      message: expect.stringContaining('TELEGRAM_BOT_TOKEN'),
    });
    await expect(refused.start().ended).rejects.not.toThrow('revoked_token');
  });

  test('a token that is revoked while polling ends it too', async () => {
    await using world = await openAdapter();
    world.fake.failNext('getUpdates', { error_code: 401, description: 'Unauthorized' });

    await expect(world.start().ended).rejects.toMatchObject({ code: 'platform_unauthorised' });
  });

  test('429, a server error, a page of a proxy and a cut line are waited out', async () => {
    await using world = await openAdapter();
    world.fake.failNext('getUpdates', {
      error_code: 429,
      description: 'Too Many Requests: retry after 7',
      parameters: { retry_after: 7 },
    });
    world.fake.failNext('getUpdates', { error_code: 500, description: 'Internal Server Error' });
    world.fake.answerRawNext('getUpdates', 404, '<html>Not Found</html>');
    world.fake.refuseAnswerNext('getUpdates');
    world.fake.userSends({ chatId: 5, text: 'hi' });

    world.start();
    for (const waitMs of [7000, 1000, 2000, 4000]) await world.clock.passSleep(waitMs);

    expect(await world.store.waitForTexts(1)).toEqual(['hi']);
    expect(JSON.stringify(world.logs)).not.toContain(world.fake.token);
  });

  test('getMe is tried again until it is answered', async () => {
    await using world = await openAdapter();
    world.fake.refuseAnswerNext('getMe');
    world.fake.userSends({ chatId: 5, text: 'hi' });

    world.start();
    await world.clock.passSleep(500);

    expect(await world.store.waitForTexts(1)).toEqual(['hi']);
  });

  test('a poll that hangs is given up after three times its length and made again', async () => {
    await using world = await openAdapter();
    world.fake.userSends({ chatId: 5, text: 'hi' });
    const hung = world.fake.holdNext('getUpdates');

    world.start();
    await hung.reached;
    await world.clock.passSleep(75_000);

    expect(await world.store.waitForTexts(1)).toEqual(['hi']);
    expect(world.logs).toMatchObject([
      { level: 'error', message: 'a getUpdates call hung; it was given up and is made again' },
    ]);
    hung.release();
  });

  test('the signal ends a long poll at once, and no request follows', async () => {
    await using world = await openAdapter();
    const run = world.start();
    await soon(() => expect(world.fake.requestsTo('getUpdates')).toHaveLength(1));

    await run.stop();

    await expect(run.ended).resolves.toBeUndefined();
    expect(world.clock.sleeping()).toEqual([]);
    expect(world.fake.requestsTo('getUpdates')).toHaveLength(1);
  });

  test('only completed polls are signs of life', async () => {
    await using world = await openAdapter();
    world.fake.failNext('getUpdates', { error_code: 502, description: 'Bad Gateway' });
    world.fake.userSends({ chatId: 5, text: 'hi' });
    const before = world.adapter.listener.lastAlive();

    world.start();
    await soon(() => expect(world.clock.sleeping()).toContain(500));
    const afterFailure = world.adapter.listener.lastAlive();
    await world.clock.passSleep(500);
    await world.store.waitForTexts(1);

    expect([before, afterFailure]).toEqual([null, null]);
    expect(world.adapter.listener.lastAlive()).toEqual(new Date('2026-09-01T12:00:00.500Z'));
    expect(world.figures.get(`gateway_telegram_poll_last_success_timestamp_seconds ${bot}`)).toBe(
      1788264000.5,
    );
  });
});

/** Let the listener take what waits, then come back empty once, as after 25 quiet seconds; its third poll is open. */
async function pollTwice(world: AdapterWorld): Promise<void> {
  const first = world.fake.holdNext('getUpdates');
  world.start();
  await first.reached;
  // The empty answer below comes from no queue, so what the second poll confirms is confirmed here.
  await world.api.getUpdates({ offset: world.fake.nextUpdateId, timeout: 0 });
  world.fake.answerRawNext('getUpdates', 200, empty);
  first.release();
  await soon(() => expect(pollsOf(world)).toHaveLength(3));
}

/** Parameters of the listener's own polls. */
function pollsOf(world: AdapterWorld): object[] {
  return world.fake.requestsTo('getUpdates').flatMap(({ params }) => (params.timeout === 0 ? [] : [params]));
}
