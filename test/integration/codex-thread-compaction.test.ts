import type { Clock, ModelClient, ThreadCompaction } from '@palimpsest/core';
import { systemClock } from '@palimpsest/core';
import { expect, test } from 'vitest';

import { openAppServer } from '../support/app-server-world.ts';
import type { AppServerWorld } from '../support/app-server-world.ts';
import { outline } from '../support/model-world.ts';

const never = new AbortController().signal;

async function compact(world: AppServerWorld, signal = never): Promise<ThreadCompaction> {
  const { client }: { client: ModelClient } = world;
  if (!client.compactThread) throw new Error('this route holds no threads');
  return client.compactThread({ sessionId: 's1', messages: world.messages }, signal);
}

/** A clock whose minutes pass when the test says so. */
function movable(): Clock & { pass(ms: number): void } {
  let passed = 0;
  const start = Date.parse('2026-11-29T12:00:00Z');
  return {
    now: () => new Date(start + passed),
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    pass: (ms) => void (passed += ms),
  };
}

test('a compaction is over when its item and then its turn are over', async () => {
  await using world = openAppServer();
  world.codex.play({ inputTokens: 200_000 }, { tokensAfter: 6_900 }, {});
  await world.ask('one');

  const done = await compact(world);
  await world.ask('two');

  expect(done).toMatchObject({ kind: 'compacted', items: 0, tokensAfter: 6_900 });
  expect(world.methods()).toEqual([
    'thread/start',
    'turn/start',
    'thread/resume',
    'thread/compact/start',
    'thread/resume',
    'turn/start',
  ]);
});

test('the older word for its end counts too, once', async () => {
  await using world = openAppServer();
  world.codex.play({}, { legacy: true });
  await world.ask('one');

  expect(await compact(world)).toMatchObject({ kind: 'compacted', tokensAfter: 6_862 });
});

test('it works in a thread of an earlier process, which keeps its instructions', async () => {
  await using world = openAppServer();
  await world.ask('one');
  world.client = world.reopen();

  expect(await compact(world)).toMatchObject({ kind: 'compacted' });

  const resumed = world.codex.heard().find(({ method }) => method === 'thread/resume');
  expect(resumed?.params).not.toHaveProperty('baseInstructions');
});

test('without a thread there is nothing to condense', async () => {
  await using world = openAppServer();

  expect(await compact(world)).toEqual({ kind: 'nothing' });
});

test('a compaction that fails says so and leaves the thread as it was', async () => {
  await using world = openAppServer();
  world.codex.play({}, { fails: 'contextWindowExceeded' }, {});
  await world.ask('one');

  expect(await compact(world)).toMatchObject({ kind: 'failed', failure: { kind: 'overflow' } });
  await world.ask('two');
  expect(world.methods().at(-1)).toBe('turn/start');
  expect(world.methods().filter((method) => method === 'thread/start')).toHaveLength(1);
});

test('one that never ends can be stopped', async () => {
  await using world = openAppServer();
  world.codex.play({}, { hangs: true });
  await world.ask('one');
  const stop = new AbortController();

  const waiting = compact(world, stop.signal);
  await expect.poll(() => world.methods()).toContain('thread/compact/start');
  stop.abort();

  expect(await waiting).toMatchObject({ kind: 'failed', failure: { kind: 'aborted' } });
  expect(world.methods()).toContain('turn/interrupt');
});

test.each([
  ['hermes', ['thread/start', 'turn/start', 'thread/resume', 'thread/compact/start', 'turn/start']],
  ['native', ['thread/start', 'turn/start', 'thread/resume', 'turn/start']],
  ['off', ['thread/start', 'turn/start', 'thread/resume', 'turn/start']],
] as const)('with %s at our trigger', async (auto, methods) => {
  await using world = openAppServer({ auto });
  world.codex.play({ inputTokens: 240_000 }, {}, {});
  await world.ask('one', { compactAtTokens: 231_200 });

  await world.ask('two', { compactAtTokens: 231_200 });

  expect(world.methods()).toEqual(methods);
});

test('below our trigger nothing is condensed', async () => {
  await using world = openAppServer({ auto: 'hermes' });
  world.codex.play({ inputTokens: 231_199 }, {}, {});
  await world.ask('one', { compactAtTokens: 231_200 });

  expect(outline(await world.ask('two', { compactAtTokens: 231_200 }))).toEqual(['text', 'sidecar', 'done']);
});

test('the trigger is known after a restart too', async () => {
  await using world = openAppServer({ auto: 'hermes' });
  world.codex.play({ inputTokens: 240_000 }, {}, {}, {});
  await world.ask('one');
  world.client = world.reopen();

  await world.ask('two', { compactAtTokens: 231_200 });

  expect(world.methods().slice(2)).toEqual(['thread/resume', 'thread/compact/start', 'turn/start']);
});

test('after a failure of our own accord it rests for 600 s, and the message is answered all the same', async () => {
  const clock = movable();
  await using world = openAppServer({ auto: 'hermes', clock });
  const big = { inputTokens: 240_000 };
  world.codex.play(big, { fails: 'serverOverloaded' }, big, big, { tokensAfter: 7_000 }, {});
  const due = { compactAtTokens: 231_200 };
  await world.ask('one', due);

  expect(outline(await world.ask('two', due))).toEqual(['text', 'sidecar', 'done']);
  clock.pass(599_999);
  expect(outline(await world.ask('three', due))).toEqual(['text', 'sidecar', 'done']);
  clock.pass(1);
  expect(outline(await world.ask('four', due))).toEqual(['compaction', 'text', 'sidecar', 'done']);
  expect(world.methods().filter((method) => method === 'thread/compact/start')).toHaveLength(2);
});

test('a failure of one that a person asked for holds ours back too', async () => {
  const clock = movable();
  await using world = openAppServer({ auto: 'hermes', clock });
  const big = { inputTokens: 240_000 };
  world.codex.play(big, { fails: 'serverOverloaded' }, {});
  await world.ask('one');
  await compact(world);

  await world.ask('two', { compactAtTokens: 231_200 });

  expect(world.methods().filter((method) => method === 'thread/compact/start')).toHaveLength(1);
});
