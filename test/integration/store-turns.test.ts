import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  answer,
  answerRow,
  arrive,
  claimed,
  messageUpdate,
  next,
  nextTurn,
  reply,
} from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';
import { countStored, expireLease } from '../support/stored-state.ts';

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.sql('TRUNCATE sessions, chats, inbox, mailbox CASCADE'));

const expire = (sessionId: string) => expireLease(world, sessionId);
const everything = () => countStored(world);

test('two messages that wait become one turn of two rows, answered and delivered', async () => {
  const { store, sql } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'hello'), messageUpdate(2, 'are you there?'));
  const lease = await claimed(store, sessionId);

  const turn = await nextTurn(store, lease);
  await answer(store, lease, turn, 'yes');

  expect(turn).toMatchObject({ sessionId, attempt: 1, lastStep: 0, openRound: null });
  expect(turn.mailbox.map((row) => row.seq)).toEqual([1, 2]);
  const rows = await store.transcript.liveRows(sessionId);
  expect(rows.map(({ seq, kind, step, part, parts }) => [seq, kind, step, part, parts])).toEqual([
    [1024, 'person', 0, 0, [{ type: 'text', text: 'hello' }]],
    [2048, 'person', 0, 1, [{ type: 'text', text: 'are you there?' }]],
    [3072, 'assistant', 1, 0, [{ type: 'text', text: 'yes' }]],
  ]);
  expect(rows[0]).toMatchObject({
    sender: { id: '42', name: 'Ada' },
    sentAt: new Date('2026-11-29T12:00:00Z'),
  });
  expect(await sql('SELECT state, text, account FROM outbox')).toEqual([
    { state: 'pending', text: 'yes', account: 'telegram-900' },
  ]);
  expect(await sql('SELECT state FROM mailbox')).toEqual([{ state: 'done' }, { state: 'done' }]);
  expect(await next(store, lease)).toEqual({ kind: 'none' });
});

test('after a crash the same turn goes on with the next attempt, after the last stored step', async () => {
  const { store } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'look it up'));
  const lease = await claimed(store, sessionId);
  const turn = await nextTurn(store, lease);
  const round = [
    {
      role: 'assistant',
      kind: 'assistant',
      parts: [{ type: 'tool_call', id: 'call-1', name: 'search', arguments: '{"q":"ink"}' }],
      tokens: 9,
    },
    {
      role: 'tool',
      kind: 'tool',
      parts: [{ type: 'tool_result', callId: 'call-1', name: 'search', text: 'found', isError: false }],
      tokens: 3,
    },
  ] as const;
  await store.turns.storeRound({ lease, turnId: turn.id, step: 1, rows: round, usage: null });
  await store.turns.saveOpenRound(lease, turn.id, { step: 2, rows: [round[0]] });
  await expire(sessionId);

  const taken = await claimed(store, sessionId, 'worker-2');
  const again = await nextTurn(store, taken);

  expect(again).toMatchObject({
    id: turn.id,
    attempt: 2,
    lastStep: 1,
    openRound: { step: 2, rows: [round[0]] },
  });
  expect(again.mailbox).toEqual(turn.mailbox);
  const rows = await store.transcript.liveRows(sessionId);
  expect(
    rows.map(({ step, part, toolCallIds, toolCallId }) => [step, part, toolCallIds, toolCallId]),
  ).toEqual([
    [0, 0, [], undefined],
    [1, 0, ['call-1'], undefined],
    [1, 1, [], 'call-1'],
  ]);
});

test('a repeated round gives the stored rows and writes nothing', async () => {
  const { store } = world;
  const lease = await claimed(store, await arrive(store, messageUpdate(1, 'hello')));
  const turn = await nextTurn(store, lease);
  const usage = {
    promptTokens: 100,
    outputTokens: 20,
    cacheReadTokens: 60,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  const round = { lease, turnId: turn.id, step: 1, rows: [answerRow('first')], usage };

  const stored = await store.turns.storeRound(round);
  const repeated = await store.turns.storeRound({ ...round, rows: [answerRow('second')] });

  expect(repeated).toEqual(stored);
  expect(
    await world.sql('SELECT prompt_tokens::int, output_tokens::int, model_calls, last_step FROM turns'),
  ).toEqual([{ prompt_tokens: 100, output_tokens: 20, model_calls: 1, last_step: 1 }]);
});

test('a round that leaves a step out is refused', async () => {
  const { store } = world;
  const lease = await claimed(store, await arrive(store, messageUpdate(1, 'hello')));
  const turn = await nextTurn(store, lease);

  const skipped = store.turns.storeRound({
    lease,
    turnId: turn.id,
    step: 2,
    rows: [answerRow('x')],
    usage: null,
  });

  await expect(skipped).rejects.toMatchObject({ code: 'input_invalid' });
});

test('a turn finished twice is answered once', async () => {
  const { store } = world;
  const lease = await claimed(store, await arrive(store, messageUpdate(1, 'hello')));
  const turn = await nextTurn(store, lease);

  await answer(store, lease, turn, 'yes');
  await answer(store, lease, turn, 'yes');

  expect(await everything()).toEqual([{ messages: 2, outbox: 1, events: 0, mailbox: 'done' }]);
});

test('the end of a turn carries events, engine state and session counters in its transaction', async () => {
  const { store } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'hello'));
  const lease = await claimed(store, sessionId);
  const turn = await nextTurn(store, lease);

  await store.turns.finishTurn({
    lease,
    turnId: turn.id,
    outcome: 'answered',
    step: 1,
    rows: [answerRow('yes')],
    usage: null,
    replies: [],
    events: [{ type: 'agent:end', sessionId, turnId: turn.id, outcome: 'answered', steps: 1 }],
    engineStates: [{ engine: 'compressor', json: { summaries: 1 } }],
    session: {
      lastPromptTokens: 1200,
      systemPrompt: 'You are.',
      cooldownMs: 60_000,
      cooldownReason: 'summary_timeout',
    },
  });

  const session = await store.turns.session(sessionId);
  expect(session).toMatchObject({
    lastPromptTokens: 1200,
    systemPrompt: 'You are.',
    cooldownReason: 'summary_timeout',
  });
  expect(session?.cooldownUntil?.getTime()).toBeGreaterThan(Date.now());
  expect(await store.turns.engineState(sessionId, 'compressor')).toEqual({ summaries: 1 });
  expect(await world.sql(`SELECT payload FROM events WHERE type = 'agent:end'`)).toEqual([
    { payload: { type: 'agent:end', sessionId, turnId: turn.id, outcome: 'answered', steps: 1 } },
  ]);
});

test('a turn that failed three times is poison, is buried once, and the session goes on', async () => {
  const { store } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'breaks the worker'));
  for (const worker of ['worker-1', 'worker-2', 'worker-3']) {
    await nextTurn(store, await claimed(store, sessionId, worker));
    await expire(sessionId);
  }
  await arrive(store, messageUpdate(2, 'harmless'));
  const lease = await claimed(store, sessionId, 'worker-4');

  const poison = await next(store, lease);
  if (poison.kind !== 'poison') throw new Error(`the next work is ${poison.kind}`);
  await store.turns.buryTurn(lease, poison.turn, [reply(poison.turn, 'this message could not be handled')]);
  const healthy = await nextTurn(store, lease);

  expect(poison.turn.attempt).toBe(3);
  expect(healthy.mailbox.map((row) => row.seq)).toEqual([2]);
  expect(await world.sql('SELECT seq, state FROM mailbox ORDER BY seq')).toEqual([
    { seq: '1', state: 'dead' },
    { seq: '2', state: 'claimed' },
  ]);
  expect(await world.sql('SELECT text FROM outbox')).toEqual([{ text: 'this message could not be handled' }]);
});

test('the preview text of a turn is there while it runs', async () => {
  const { store } = world;
  const sessionId = await arrive(store, messageUpdate(1, 'hello'));
  const lease = await claimed(store, sessionId);
  const turn = await nextTurn(store, lease);
  const progress = { sessionId, turnId: turn.id, chatRowId: turn.chat.chatRowId, note: '' };

  await store.turns.putProgress({ ...progress, text: 'ye' });
  await store.turns.putProgress({ ...progress, text: 'yes' });
  const running = await world.sql('SELECT text FROM turn_progress');
  await answer(store, lease, turn, 'yes');
  await store.turns.putProgress({ ...progress, text: 'too late' });

  expect(running).toEqual([{ text: 'yes' }]);
  expect(await world.sql('SELECT text FROM turn_progress')).toEqual([]);
});
