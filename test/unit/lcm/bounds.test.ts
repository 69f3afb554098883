import { expect, test } from 'vitest';
import { LcmWorld, StillClock } from '../../support/lcm-engine-world.ts';
import * as models from '../../support/lcm-summarisers.ts';
import { answerRow, callRow, resultRow, userRow, words } from '../../support/memory-transcript.ts';

const small = {
  fresh_tail_count: 2,
  leaf_chunk_tokens: 520,
  condensed_target_tokens: 20,
  dynamic_leaf_chunk_tokens: { enabled: false },
  incremental_max_depth: 0,
  summary_prefix_target_tokens: 100_000,
};

function talk(world: LcmWorld, turns: number): void {
  for (let turn = 1; turn <= turns; turn++)
    world.append(userRow(`question ${turn} ${words(100)}`), answerRow(`answer ${turn} ${words(100)}`));
}

const callsOf = (world: LcmWorld): number => (world.summariser as models.BehavedSummariser).requests.length;

const urgent = { layer: 'agent', trigger: 'threshold', force: false } as const;

test('A8 with a depth of 0 and no pressure only leaves are made', async () => {
  const world = new LcmWorld(small);
  talk(world, 20);

  await world.condense();

  expect([...world.store.nodes.values()].every(({ kind }) => kind === 'leaf')).toBe(true);
});

test('A16 stored 300 and observed 500 of 600: compaction, above 450', async () => {
  const engine = await new LcmWorld({}, { windowTokens: 600 }).engine();
  const state = {
    promptTokens: Math.max(300, 500),
    source: 'api' as const,
    budget: { windowTokens: 600, outputReserveTokens: 1, overheadTokens: 0 },
    liveRows: 10,
    session: new LcmWorld().transcript.session,
    now: new Date(),
  };

  expect(engine.shouldCompress(state)).toEqual({ kind: 'now', reason: 'threshold' });
  expect(engine.shouldCompress({ ...state, promptTokens: 450 })).toEqual({ kind: 'prepare' });
  expect(engine.getStatus(state.budget).triggerTokens).toBe(450);
});

test('A17 a rule for this window: 400 of 600 is above its half', async () => {
  const rule = { max_window_tokens: 600, context_threshold: 0.5 };
  const world = new LcmWorld({ context_threshold_overrides: [rule] }, { windowTokens: 600 });
  const engine = await world.engine();
  const budget = { windowTokens: 600, outputReserveTokens: 1, overheadTokens: 0 };
  const state = {
    promptTokens: 400,
    source: 'api' as const,
    budget,
    liveRows: 10,
    session: world.transcript.session,
    now: new Date(),
  };

  expect(engine.shouldCompress(state)).toEqual({ kind: 'now', reason: 'threshold' });
  expect(engine.getStatus(budget).triggerTokens).toBe(300);
});

test('a window of 128,000 is condensed at 100,000 and not at 96,000', async () => {
  const engine = await new LcmWorld({}, { windowTokens: 128_000 }).engine();
  const budget = { windowTokens: 128_000, outputReserveTokens: 8_000, overheadTokens: 2_000 };
  const { session } = new LcmWorld().transcript;
  const state = { source: 'api' as const, budget, liveRows: 90, session, now: new Date() };

  expect(engine.shouldCompress({ ...state, promptTokens: 100_000 }).kind).toBe('now');
  expect(engine.shouldCompress({ ...state, promptTokens: 96_000 }).kind).not.toBe('now');
});

test('system text and tools above the threshold are no reason to condense', async () => {
  const engine = await new LcmWorld({}, { windowTokens: 10_000 }).engine();
  const budget = { windowTokens: 10_000, outputReserveTokens: 1_000, overheadTokens: 7_600 };
  const { session } = new LcmWorld().transcript;
  const state = { source: 'api' as const, budget, liveRows: 90, session, now: new Date() };

  expect(engine.shouldCompress({ ...state, promptTokens: 8_000 }).kind).toBe('no');
  expect(engine.shouldCompress({ ...state, promptTokens: 9_000 })).toEqual({
    kind: 'now',
    reason: 'hard_limit',
  });
});

test('A18 at the target recovery runs once; at the threshold and not asked for, nobody is asked', async () => {
  const world = new LcmWorld(small);
  talk(world, 6);
  const budget = { windowTokens: 10_000, outputReserveTokens: 1_000, overheadTokens: 0 };

  const idle = await world.compress({ ...urgent, budget, promptTokens: 7_500 });
  const asked = callsOf(world);
  const recovery = await world.compress({ ...urgent, layer: 'overflow', budget, promptTokens: 7_500 });

  expect([idle.kind, asked]).toEqual(['none', 0]);
  expect(recovery.kind).toBe('plan');
});

test('A19 a cap of 3 makes exactly 3 passes, a larger one more; what was made stands', async () => {
  const capped = new LcmWorld({ ...small, max_sweep_iterations: 3 });
  const free = new LcmWorld({ ...small, max_sweep_iterations: 50 });
  for (const world of [capped, free]) talk(world, 21);

  await capped.condense();
  await free.condense();

  expect([capped.store.items.length, free.store.items.length]).toEqual([3, 10]);
  expect(capped.reached()).toEqual(capped.transcript.all.map(({ id }) => id));
});

test('A20 past its deadline a recovery ends with what it has', async () => {
  const clock = new StillClock();
  const slow = new models.BehavedSummariser((_, call) => {
    clock.pass(1_000);
    return `Notes ${call}.`;
  });
  const config = { ...small, compact_until_under_deadline_ms: 2_500, max_sweep_iterations: 50 };
  const world = new LcmWorld(config, { clock, summariser: slow });
  talk(world, 30);

  await world.condense({ layer: 'overflow', trigger: 'emergency', promptTokens: 9_900 });

  expect(world.store.items).toHaveLength(3);
  expect(world.reached()).toEqual(world.transcript.all.map(({ id }) => id));
});

test('A33 failures in a row let the model rest, in later passes too; a success forgets them', async () => {
  const world = new LcmWorld(
    { ...small, circuit_breaker_threshold: 2 },
    { summariser: models.throwingAt(2) },
  );
  talk(world, 12);
  await world.condense();
  expect(world.store.breakers.get('/small-model')).toMatchObject({ failures: 1, openUntil: null });
  talk(world, 6);
  world.summariser = models.failing('summary_provider_5xx');

  await world.compress({ ...urgent, layer: 'background', promptTokens: 9_000 });
  const open = await world.compress({ ...urgent, layer: 'background', promptTokens: 9_000 });

  expect(open).toMatchObject({ outcome: 'skipped', reason: 'breaker_open' });
  expect(callsOf(world)).toBe(1);
});

test('A33 a model that rests is named by who serves it, also where its own name has a slash', async () => {
  const world = new LcmWorld(small);
  talk(world, 6);
  const served = { provider: 'openrouter', model: 'qwen/small' };
  world.summariser = Object.assign(models.failing('summary_provider_5xx'), served);

  await world.compress({ ...urgent, layer: 'background', promptTokens: 9_000 });

  expect(world.store.breakers.get('openrouter/qwen/small')).toMatchObject({ failures: 1 });
});

test('A33 another model is not affected, and after the cooldown the first one is asked again', async () => {
  const clock = new StillClock();
  const world = new LcmWorld({ ...small, circuit_breaker_threshold: 1 }, { clock });
  talk(world, 6);
  world.summariser = models.failing('summary_provider_5xx');
  await world.compress({ ...urgent, layer: 'background', promptTokens: 9_000 });
  world.summariser = new models.BehavedSummariser(() => 'Notes.', { model: 'other/model' });
  expect((await world.compress({ ...urgent, promptTokens: 9_000 })).kind).toBe('plan');

  clock.pass(1_800_001);
  world.summariser = models.shrinking();

  expect((await world.compress({ ...urgent, promptTokens: 9_000 })).kind).toBe('plan');
  expect(world.store.breakers.size).toBe(0);
});

test('the next model of the chain is asked after a failure, and where a text is not smaller', async () => {
  const second = new models.BehavedSummariser(() => 'Notes of the second.', { model: 'second' });
  for (const first of [models.failing('summary_rate_limited'), models.growing()]) {
    const world = new LcmWorld(small, { summariser: first, clock: quickClock() });
    world.fallbacks = [second];
    talk(world, 3);

    await world.condense();

    expect([...world.store.nodes.values()][0]).toMatchObject({ model: 'second', escalation: 'normal' });
  }
});

/** Whoever sleeps has slept, but for the long time of a call. */
function quickClock(): StillClock {
  const clock = new StillClock();
  const still = clock.sleep.bind(clock);
  clock.sleep = (ms, signal) => (ms <= 8_000 ? Promise.resolve() : still(ms, signal));
  return clock;
}

test('a summary model that never answers is left after its time', async () => {
  const clock = new StillClock();
  clock.sleep = (ms) => {
    clock.pass(ms);
    return Promise.resolve();
  };
  const world = new LcmWorld(small, { summariser: models.silent(), clock });
  talk(world, 4);

  const end = await world.compress({ ...urgent, layer: 'background', promptTokens: 9_000 });

  expect(end).toMatchObject({ outcome: 'failed', reason: 'summary_timeout' });
});

test('where a message waits, a failed model is stood in for, and it says so', async () => {
  const world = new LcmWorld(small, { summariser: models.failing('summary_timeout', 'local') });
  talk(world, 6);

  const plan = await world.condense({ layer: 'hygiene', trigger: 'hygiene', force: false });

  expect(plan).toMatchObject({ outcome: 'deterministic', reason: 'summary_timeout', cooldownMs: 60_000 });
});

test('mode local asks nobody, mode prune does nothing', async () => {
  const world = new LcmWorld(small);
  talk(world, 6);

  const pruned = await world.compress({ mode: 'prune' });
  const local = await world.compress({ mode: 'local' });

  expect(pruned).toMatchObject({ kind: 'none', outcome: 'noop' });
  expect(local).toMatchObject({ kind: 'plan', outcome: 'deterministic', summaryModel: null });
  expect(callsOf(world)).toBe(0);
});

test('a session that used its calls up is asked nothing more, unless a person asks', async () => {
  const world = new LcmWorld(small);
  world.store.spendAllowed = 0;
  talk(world, 6);

  const end = await world.compress({ ...urgent, promptTokens: 9_000 });
  const asked = await world.compress();

  expect(end).toMatchObject({ outcome: 'skipped', reason: 'spend_limit' });
  expect([asked.kind, world.store.cleared]).toEqual(['plan', 1]);
});

test('one long tool loop is condensed behind its question', async () => {
  const world = new LcmWorld({ leaf_chunk_tokens: 1_000, incremental_max_depth: 0 }, { windowTokens: 8_000 });
  world.append(userRow('do all of it'));
  for (let round = 1; round <= 30; round++)
    world.append(callRow([{ id: `c${round}` }]), resultRow(`c${round}`, words(250)));

  await world.condense({ ...urgent, promptTokens: 7_800 });

  const messages = await world.assemble();
  expect(messages[0]!.parts[0]).toMatchObject({ text: 'do all of it' });
  expect(messages[1]!.parts[0]).toMatchObject({ text: expect.stringMatching(/^<summary id=/) });
  expect(world.reached()).toEqual(world.transcript.all.map(({ id }) => id));
});
