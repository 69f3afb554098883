import { noUsage, type Usage } from '@palimpsest/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { answerRow, arrive, claimed, messageUpdate, nextTurn } from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.sql('TRUNCATE sessions, chats, inbox, mailbox CASCADE'));

const call: Usage = {
  ...noUsage,
  promptTokens: 1_000,
  cacheReadTokens: 800,
  cacheWriteTokens: 150,
  outputTokens: 20,
  costDollars: 0.25,
};

/** A finished turn with one call before its answer; both cost `call`. */
async function talk(update: number, usage: Usage | null): Promise<string> {
  const { store } = world;
  const sessionId = await arrive(store, messageUpdate(update, 'look it up'));
  const lease = await claimed(store, sessionId);
  await store.turns.patchSession(lease, { model: 'anthropic/claude-sonnet-5' });
  const turn = await nextTurn(store, lease);
  await store.turns.storeRound({ lease, turnId: turn.id, step: 1, rows: [answerRow('…')], usage });
  await store.turns.finishTurn({
    lease,
    turnId: turn.id,
    outcome: 'answered',
    step: 2,
    rows: [answerRow('done')],
    usage,
    replies: [],
    events: [],
  });
  await store.turns.release(lease);
  return sessionId;
}

test('calls are added up by session, day, person and model, in the transaction of their round', async () => {
  const sessionId = await talk(1, call);

  expect(await world.store.usage.ofSession(sessionId)).toEqual({
    calls: 2,
    unpricedCalls: 0,
    promptTokens: 2_000,
    cacheReadTokens: 1_600,
    cacheWriteTokens: 300,
    outputTokens: 40,
    dollars: 0.5,
  });
  expect(await world.store.usage.lastTurn(sessionId)).toEqual({
    calls: 2,
    promptTokens: 2_000,
    cacheReadTokens: 1_600,
    cacheWriteTokens: 300,
    outputTokens: 40,
    dollars: 0.5,
  });
  expect(await world.sql('SELECT model, person_id > 0 AS known, calls FROM usage_days')).toEqual([
    { model: 'anthropic/claude-sonnet-5', known: true, calls: 2 },
  ]);
});

test("a person's day counts over all their identities, everybody's over all sessions", async () => {
  await talk(1, call);
  const { sql, store } = world;
  await sql(`INSERT INTO identities (platform, user_id, person_id, name)
             SELECT 'discord', '77', person_id, 'Ada' FROM identities WHERE platform = 'telegram' AND user_id = '42'`);
  await sql(`INSERT INTO usage_days (session_id, day, person_id, model, microdollars)
             SELECT id, (now() AT TIME ZONE 'UTC')::date, 0, 'other', 2000000 FROM sessions`);
  await sql(`INSERT INTO usage_days (session_id, day, person_id, model, microdollars)
             SELECT id, (now() AT TIME ZONE 'UTC')::date - 1, 0, 'other', 9000000 FROM sessions`);

  expect(await store.usage.today({ platform: 'telegram', userId: '42' })).toEqual({
    person: 0.5,
    personTurns: 1,
    installation: 2.5,
  });
  expect(await store.usage.today({ platform: 'discord', userId: '77' })).toEqual({
    person: 0.5,
    personTurns: 1,
    installation: 2.5,
  });
  expect(await store.usage.today({ platform: 'telegram', userId: '1' })).toEqual({
    person: 0,
    personTurns: 0,
    installation: 2.5,
  });
  const [chat] = await sql('SELECT session_id FROM chats');
  const sessionId = String(chat?.session_id);
  const own = { person: 0.5, personTurns: 1, installation: 2.5 };
  expect(await store.usage.today({ sessionId })).toEqual(own);
  await sql(`UPDATE sessions SET chat_kind = 'group'`);
  expect(await store.usage.today({ sessionId })).toEqual({ ...own, person: 0, personTurns: 0 });
});

test('a summary counts for its session and for everybody, not for a person', async () => {
  const sessionId = await talk(1, call);
  const summary = {
    sessionId,
    model: 'small',
    calls: 2,
    inputTokens: 5_000,
    outputTokens: 300,
    dollars: 0.02,
  };
  await world.store.usage.addSummary(summary);
  await world.store.usage.addSummary(summary);

  expect(await world.store.usage.ofSession(sessionId)).toMatchObject({
    calls: 6,
    dollars: 0.54,
    outputTokens: 640,
  });
  expect(await world.store.usage.today({ platform: 'telegram', userId: '42' })).toEqual({
    person: 0.5,
    personTurns: 1,
    installation: 0.54,
  });
});

test('a call whose price nobody knows counts as a call and says so; no usage is no call', async () => {
  const { costDollars: _unknown, ...unpriced } = call;
  const sessionId = await talk(1, unpriced);
  await talk(2, null);

  expect(await world.store.usage.ofSession(sessionId)).toMatchObject({
    calls: 2,
    unpricedCalls: 2,
    dollars: 0,
  });
});
