/** What the boards of operators read, and what operators change, on real Postgres. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createActionStore } from '../../packages/store/src/operators/create-action-store.ts';
import { createBoardStore } from '../../packages/store/src/operators/create-board-store.ts';
import { attempt, turn } from '../support/board-figures.ts';
import { openStoreWorld, type StoreWorld } from '../support/store-world.ts';

const actor = { name: 'operator', via: 'dashboard' } as const;
let world: StoreWorld;
let boards: ReturnType<typeof createBoardStore>;
let actions: ReturnType<typeof createActionStore>;
beforeAll(async () => {
  world = await openStoreWorld();
  boards = createBoardStore(world.db);
  actions = createActionStore(world.db);
});
afterAll(() => world[Symbol.asyncDispose]());

test('the ledger added up: attempts by kind, reclaimed tokens, and what later model calls did not read', async () => {
  const session = await world.newSession();
  await attempt(world, session, { minutesAgo: 50, outcome: 'success', before: 8_000, after: 3_000 });
  await attempt(world, session, { minutesAgo: 20, outcome: 'success', before: 7_500, after: 3_500 });
  await attempt(world, session, { minutesAgo: 10, outcome: 'failed', reason: 'summary_timeout' });
  await turn(world, session, { id: 'a', minutesAgo: 55, calls: 9 });
  await turn(world, session, { id: 'b', minutesAgo: 40, calls: 2 });
  await turn(world, session, { id: 'c', minutesAgo: 5, calls: 3, state: 'failed' });

  const board = await boards.compactions({ hours: 1, steps: 6 });
  const { minutes, day } = await boards.activity();

  expect(board.groups).toEqual([
    {
      layer: 'agent',
      trigger: 'threshold',
      outcome: 'success',
      reason: 'none',
      attempts: 2,
      tokensBefore: 15_500,
      tokensAfter: 6_500,
      medianMs: 400,
      longestMs: 400,
    },
    {
      layer: 'agent',
      trigger: 'threshold',
      outcome: 'failed',
      reason: 'summary_timeout',
      attempts: 1,
      tokensBefore: 0,
      tokensAfter: 0,
      medianMs: 400,
      longestMs: 400,
    },
  ]);
  // 5,000 tokens in two calls between them, 4,000 in three after the second.
  expect(board.spending).toEqual([
    {
      layer: 'agent',
      mainModel: 'main',
      summaryModel: 'small',
      compactions: 2,
      summaryInputTokens: 1_800,
      summaryOutputTokens: 200,
      keptTokens: 6_500,
      reclaimedTokens: 9_000,
      savedTokens: 22_000,
      laterCalls: 5,
      laterTurns: 2,
    },
  ]);
  const line = (key: 'applied' | 'failed' | 'promptTokens') =>
    board.steps.reduce((sum, step) => sum + step[key], 0);
  expect([line('applied'), line('failed'), line('promptTokens')]).toEqual([2, 1, 3_000]);
  expect(board.applied.map(({ tokensBefore, tokensAfter }) => [tokensBefore, tokensAfter])).toEqual([
    [7_500, 3_500],
    [8_000, 3_000],
  ]);
  expect(minutes).toHaveLength(30);
  expect(minutes.reduce((sum, minute) => sum + minute.failures, 0)).toBe(1);
  expect(day).toMatchObject({ turns: 3, failedTurns: 1, failedCompactions: 1 });
});

test('brakes: who rests and until when, who stands over the trigger, which summary model is off', async () => {
  const open = await world.newSession();
  const cooling = await world.newSession();
  await world.query(`UPDATE sessions SET ineffective_streak = 2, last_prompt_tokens = 9000 WHERE id = $1`, [
    open.sessionId,
  ]);
  await world.query(
    `UPDATE sessions SET cooldown_until = now() + interval '5 min', cooldown_reason = 'summary_timeout' WHERE id = $1`,
    [cooling.sessionId],
  );
  await world.query(
    `INSERT INTO lcm_breaker (provider, model, failures, open_until) VALUES ('openai', 'small', 4, now() + interval '10 min')`,
  );

  const seen = await boards.brakes(8_500);

  expect(seen.resting.map(({ sessionId, state, reason }) => [sessionId, state, reason]).sort()).toEqual(
    [
      [open.sessionId, 'open', null],
      [cooling.sessionId, 'cooldown', 'summary_timeout'],
    ].sort(),
  );
  expect(seen.restingSessions).toBe(2);
  expect(seen.full).toMatchObject([
    {
      sessionId: open.sessionId,
      title: null,
      chatTitle: 'a place',
      promptTokens: 9_000,
      triggerTokens: 8_500,
    },
  ]);
  expect(seen.models).toMatchObject([{ provider: 'openai', model: 'small', failures: 4 }]);
});

test('rests are ended by an operator while no worker holds the session, and that leaves a row of who did it', async () => {
  const session = await world.newSession();
  await world.query(
    `UPDATE sessions SET ineffective_streak = 2, cooldown_until = now() + interval '5 min', hold_rest_until = now() WHERE id = $1`,
    [session.sessionId],
  );

  expect(await actions.resetRests(session.sessionId, actor)).toBe('busy');
  expect(await actions.releaseLease(session.sessionId, actor)).toBeNull();
  expect(await actions.releaseLease(session.sessionId, actor)).toBe('nothing_to_do');
  expect(await actions.resetRests(session.sessionId, actor)).toBeNull();
  expect(await actions.resetRests('nobody', actor)).toBe('missing');

  const [row] = await world.query(
    `SELECT ineffective_streak, cooldown_until, hold_rest_until, lease_owner, epoch::int - $2::int AS risen FROM sessions WHERE id = $1`,
    [session.sessionId, session.lease.epoch],
  );
  expect(row).toEqual({
    ineffective_streak: 0,
    cooldown_until: null,
    hold_rest_until: null,
    lease_owner: null,
    risen: 2,
  });
  const done = await boards.actions({ limit: 10, sessionId: session.sessionId });
  expect(done.map(({ act, actor: who, via }) => [act, who, via])).toEqual([
    ['reset_rests', 'operator', 'dashboard'],
    ['release_lease', 'operator', 'dashboard'],
  ]);
});

test('a summary model that was switched off is asked again when an operator says so', async () => {
  await world.query(
    `INSERT INTO lcm_breaker (provider, model, failures, open_until) VALUES ('anthropic', 'tiny', 3, now() + interval '1 h')`,
  );
  const which = { provider: 'anthropic', model: 'tiny' };

  expect(await actions.resetBreaker(which, actor)).toBeNull();
  expect(await actions.resetBreaker(which, actor)).toBe('nothing_to_do');

  const [newest] = await boards.actions({ limit: 1 });
  expect(newest).toMatchObject({ act: 'reset_breaker', sessionId: null, target: 'anthropic/tiny' });
});

test('a dead reply is sent again from its first part without a receipt, or dropped, once', async () => {
  const session = await world.newSession();
  const dead = await world.addReply(session, 'first half, second half');
  const doubtful = await world.addReply(session, 'was it heard?');
  await world.query(`UPDATE outbox SET state = 'dead', attempts = 9, problem = 'given up' WHERE id = $1`, [
    dead,
  ]);
  await world.query(
    `INSERT INTO outbox_parts (session_id, reply_id, position, text, nonce, state) VALUES
       ($1, $2, 0, 'first half', 'n1', 'sent'), ($1, $2, 1, 'second half', 'n2', 'unknown')`,
    [session.sessionId, dead],
  );
  await world.query(`UPDATE outbox SET state = 'unknown', finished_at = now() WHERE id = $1`, [doubtful]);

  const seen = await boards.deliveries({ limit: 10 });
  expect(seen).toMatchObject([
    { id: doubtful, state: 'unknown', characters: 13, parts: 0 },
    { id: dead, state: 'dead', problem: 'given up', account: 'telegram-77', parts: 2, partsSent: 1 },
  ]);
  expect((await boards.delivery(dead))?.parts.map(({ state }) => state)).toEqual(['sent', 'unknown']);

  expect(await actions.retryDelivery(dead, actor)).toEqual({ account: 'telegram-77' });
  expect(await actions.retryDelivery(dead, actor)).toBe('missing');
  expect(await actions.dropDelivery(doubtful, actor)).toBeNull();
  expect(await boards.deliveries({ limit: 10 })).toEqual([]);
  expect(await boards.actions({ limit: 5, sessionId: session.sessionId })).toMatchObject([
    { act: 'drop_delivery', target: String(doubtful), actor: actor.name },
    { act: 'retry_delivery', target: String(dead), actor: actor.name },
  ]);
  const [due] = await world.outbox.due('telegram-77', 5);
  expect([due?.id, due?.attempts]).toEqual([dead, 0]);
  expect(due?.parts.map(({ state, mayBeOut }) => [state, mayBeOut])).toEqual([
    ['sent', false],
    ['pending', false],
  ]);
});

test('a reply of which every part has its receipt is not sent again', async () => {
  const session = await world.newSession();
  const id = await world.addReply(session, 'twice?');
  await world.query(`UPDATE outbox SET state = 'unknown' WHERE id = $1`, [id]);
  await world.query(
    `INSERT INTO outbox_parts (session_id, reply_id, position, text, nonce, state, may_be_out) VALUES ($1, $2, 0, 'twice?', 'n', 'sent', true)`,
    [session.sessionId, id],
  );

  expect(await actions.retryDelivery(id, actor)).toBe('nothing_to_do');
});

test('sessions are found by title, chat and either end of their id, and put in order of cost', async () => {
  const cheap = await world.newSession({ chatId: 'tea-room' });
  const dear = await world.newSession({ chatId: '100%' });
  await world.query(`UPDATE sessions SET title = 'Garden plans' WHERE id = $1`, [dear.sessionId]);
  for (const [session, microdollars] of [
    [cheap, 10],
    [dear, 2_500_000],
  ] as const)
    await world.query(
      `INSERT INTO usage_days (session_id, day, person_id, model, microdollars) VALUES ($1, '2026-05-01', 0, 'm', $2)`,
      [session.sessionId, microdollars],
    );
  const find = async (search: string, order: 'activity' | 'cost' = 'activity') =>
    (await world.operators.sessions({ limit: 5, offset: 0, order, search })).map(({ id }) => id);

  expect(await find('garden')).toEqual([dear.sessionId]);
  expect(await find('tea-room')).toEqual([cheap.sessionId]);
  expect(await find('%')).toEqual([]);
  expect(await find('100%')).toEqual([dear.sessionId]);
  expect(await find(cheap.sessionId.slice(-8))).toEqual([cheap.sessionId]);
  const byCost = await world.operators.sessions({ limit: 2, offset: 0, order: 'cost' });
  expect(byCost.map(({ id, dollars }) => [id, dollars])).toEqual([
    [dear.sessionId, 2.5],
    [cheap.sessionId, 0.000_01],
  ]);
});

test('events come newest first, or onward from one that was seen; accounts are those that have chats', async () => {
  const session = await world.newSession({ platform: 'discord', account: '9' });
  for (const type of ['session:start', 'session:export'])
    await world.query(`INSERT INTO events (session_id, type, payload) VALUES ($1, $2, $3)`, [
      session.sessionId,
      type,
      { type, sessionId: session.sessionId, platform: 'discord' },
    ]);

  const [newest, older] = await boards.events({ limit: 2, sessionId: session.sessionId });
  const onward = await boards.events({ limit: 5, afterId: older!.id });

  expect([newest?.event.type, older?.event.type]).toEqual(['session:export', 'session:start']);
  expect(onward.map(({ id }) => id)).toEqual([newest?.id]);
  expect(await boards.accounts()).toEqual(['discord-9', 'telegram-77']);
});

test('a request leaves its row in the same breath, with its place in the mailbox', async () => {
  const session = await world.newSession();
  const request = await actions.request(session.sessionId, {
    command: { name: 'compress', argument: 'the ferry' },
    act: 'compact',
    actor,
  });

  const [row] = await boards.actions({ limit: 1 });
  expect(row).toMatchObject({
    act: 'compact',
    sessionId: session.sessionId,
    target: `request ${request.seq}`,
  });
  expect(JSON.stringify(row)).not.toContain('ferry');
  await expect(
    actions.request('nobody', { command: { name: 'compress', argument: '' }, act: 'compact', actor }),
  ).rejects.toThrow('there is no session nobody');
  expect(await boards.actions({ limit: 50, sessionId: 'nobody' })).toEqual([]);
});
