/** Work put off until after the reply: when it is due, and how it ends. */
import { noUsage, type ContextState } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { changeOf, LcmWorld, StillClock } from '../../support/lcm-engine-world.ts';
import * as models from '../../support/lcm-summarisers.ts';
import { answerRow, aModel, userRow, words } from '../../support/memory-transcript.ts';

const small = {
  fresh_tail_count: 2,
  leaf_chunk_tokens: 520,
  condensed_target_tokens: 20,
  dynamic_leaf_chunk_tokens: { enabled: false },
};

function talk(world: LcmWorld, turns: number): void {
  for (let turn = 1; turn <= turns; turn++)
    world.append(userRow(`question ${turn} ${words(100)}`), answerRow(`answer ${turn} ${words(100)}`));
}

function stateOf(world: LcmWorld, promptTokens: number): ContextState {
  return {
    promptTokens,
    source: 'api',
    budget: world.budget(),
    liveRows: world.transcript.rows.length,
    session: world.transcript.session,
    now: world.clock.now(),
  };
}

/** What is owed at the end of a turn of this size, after answers with these cache reads. */
async function owed(world: LcmWorld, promptTokens: number, reads: readonly number[] = []) {
  const engine = await world.engine();
  engine.measure!(world.transcript);
  engine.shouldCompress(stateOf(world, 0));
  for (const read of reads) {
    const usage = { ...noUsage, promptTokens: 1_000, cacheReadTokens: read };
    const { stateChange } = engine.updateFromResponse(usage);
    world.store.change(stateChange!.json as never);
  }
  const work = engine.deferred!(stateOf(world, promptTokens));
  if (work) world.store.change(work.stateChange.json as never);
  return work;
}

const background = { layer: 'background', trigger: 'prepared', force: false } as const;

test('above the threshold work is owed at once, whatever the cache', async () => {
  const world = new LcmWorld(small);
  talk(world, 10);

  const work = await owed(world, 7_501, [900]);

  expect(work).toMatchObject({ dueInMs: 0 });
  expect(world.store.debt).toMatchObject({
    pending: true,
    reason: 'over-threshold',
    thresholdTokens: 7_500,
    thresholdSource: 'context_threshold',
    currentTokens: 7_501,
  });
});

test('below it work is owed when the cache has run out, or at once where there is none', async () => {
  const hot = new LcmWorld(small);
  const cold = new LcmWorld(small);
  for (const world of [hot, cold]) talk(world, 10);

  expect(await owed(hot, 3_000, [900])).toMatchObject({ dueInMs: 300_000 });
  expect(await owed(cold, 3_000, [0])).toMatchObject({ dueInMs: 0 });
});

test('less than a chunk is not owed', async () => {
  const world = new LcmWorld(small);
  talk(world, 2);

  expect(await owed(world, 1_000)).toBeNull();
});

test('the cache of another model is not known', async () => {
  const world = new LcmWorld(small);
  talk(world, 10);
  const engine = await world.engine();
  engine.measure!(world.transcript);
  engine.shouldCompress(stateOf(world, 0));
  engine.updateFromResponse({ ...noUsage, promptTokens: 1_000, cacheReadTokens: 900 });

  engine.updateModel(aModel({ name: 'another', windowTokens: 10_000 }));

  expect(engine.deferred!(stateOf(world, 3_000))).toMatchObject({ dueInMs: 0 });
});

test('A34 a success pays the debt, a failure lets it rest, longer each time', async () => {
  const clock = new StillClock();
  const world = new LcmWorld({ ...small, summary_prefix_target_tokens: 100_000 }, { clock });
  talk(world, 10);
  await owed(world, 7_600);
  world.summariser = models.failing('summary_provider_5xx');
  const rests: number[] = [];
  for (let attempt = 0; attempt < 4; attempt++) {
    await world.compress({ ...background, promptTokens: 7_600 });
    rests.push((world.store.debt!.nextAttemptAfter!.getTime() - clock.now().getTime()) / 60_000);
    expect(await world.compress({ ...background, promptTokens: 7_600 })).toMatchObject({
      reason: 'cooldown',
    });
    clock.pass(31 * 60_000);
  }
  expect(rests).toEqual([5, 10, 20, 30]);
  world.summariser = models.shrinking();

  await world.condense({ ...background, promptTokens: 7_600 });

  expect(world.store.debt).toMatchObject({
    pending: false,
    resolutionReason: 'paid',
    nextAttemptAfter: null,
  });
});

test('A34 a refused key leaves the debt without a rest', async () => {
  const world = new LcmWorld(small, { summariser: models.failing('summary_auth') });
  talk(world, 10);
  await owed(world, 7_600);

  await world.compress({ ...background, promptTokens: 7_600 });

  expect(world.store.debt).toMatchObject({ pending: true, running: false, nextAttemptAfter: null });
});

test('a plan pays the debt when it is applied; one that never is leaves the debt as it was', async () => {
  const world = new LcmWorld({ ...small, summary_prefix_target_tokens: 100_000 });
  talk(world, 10);
  await owed(world, 7_600);

  await world.compress({ ...background, promptTokens: 7_600 });
  const unapplied = world.store.debt;
  // A dead job left it running; the next one takes it over.
  await world.condense({ ...background, promptTokens: 7_600 });

  expect(unapplied).toMatchObject({ pending: true, running: true });
  expect(world.store.debt).toMatchObject({ pending: false, running: false, resolutionReason: 'paid' });
});

test('a due debt without anything left to do is closed, and not asked for again', async () => {
  const world = new LcmWorld(small);
  talk(world, 10);
  await owed(world, 3_000);
  await world.condense();

  const end = await world.compress({ ...background, promptTokens: 2_000 });

  expect(end).toMatchObject({ outcome: 'noop', reason: 'below_threshold' });
  expect(world.store.debt).toMatchObject({ pending: false, resolutionReason: 'nothing_to_do' });
});

test('a due debt under a cache that is hot again is due when that one has run out', async () => {
  const clock = new StillClock();
  const world = new LcmWorld(small, { clock });
  talk(world, 10);
  await owed(world, 3_000, [900]);
  clock.pass(200_000);
  await owed(world, 3_000, [900]);
  clock.pass(100_000);

  const end = await world.compress({ ...background, promptTokens: 3_000 });

  expect(end).toMatchObject({ outcome: 'noop', reason: 'hot_cache' });
  expect(world.store.debt).toMatchObject({ pending: true, running: false, retryAttempts: 0 });
  expect(world.store.debt!.dueAt.getTime() - clock.now().getTime()).toBe(200_000);
});

test('a plan made ahead of its time neither pays a debt nor moves it', async () => {
  const clock = new StillClock();
  const world = new LcmWorld(small, { clock });
  talk(world, 10);
  await owed(world, 3_000, [900]);
  const before = world.store.debt;

  const end = await world.compress({ ...background, promptTokens: 7_600 });

  expect(end.kind).toBe('plan');
  expect(changeOf(end as never).debtEnd).toBeUndefined();
  expect(world.store.debt).toEqual(before);
});

test('A35 a debt still over its target after a partial sweep stays, with a rest', async () => {
  const world = new LcmWorld({ ...small, max_sweep_iterations: 1 });
  talk(world, 10);
  await owed(world, 9_900);

  await world.condense({ ...background, promptTokens: 9_900 });

  expect(world.store.debt).toMatchObject({ pending: true, running: false, lastFailure: null });
  expect(world.store.debt!.nextAttemptAfter).not.toBeNull();
});

test('nothing left to summarise and still over the threshold: the debt is exhausted, and assembly goes on', async () => {
  const world = new LcmWorld({ ...small, fresh_tail_count: 64, fresh_tail_max_tokens: 50_000 });
  talk(world, 10);
  await owed(world, 7_600);

  const end = await world.compress({ ...background, promptTokens: 7_600 });

  expect(end).toMatchObject({ outcome: 'noop', reason: 'protected_only', cooldownMs: 300_000 });
  expect(world.store.debt).toMatchObject({ pending: false, resolutionReason: 'exhausted' });
});

test('a sweep that stalls above its target lets the calls of the session rest', async () => {
  const world = new LcmWorld({ ...small, leaf_chunk_tokens: 30 }, { summariser: models.echo() });
  for (let turn = 0; turn < 6; turn++) world.append(userRow('yes'), answerRow('ok'));

  const end = await world.compress({ ...background, promptTokens: 7_600 });

  expect([end.kind, world.store.stopped]).toEqual(['none', 1]);
});
