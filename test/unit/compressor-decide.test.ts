import type { CompressDecision, CompressionConfig, ContextState, Session } from '@palimpsest/core';
import { engineRegistry, compressorFactory } from '@palimpsest/engines';
import { expect, test } from 'vitest';
import { budgetOf, compressorFor, configWith, noon } from '../support/compress.ts';
import { aModel, aSession, MemoryTranscript } from '../support/memory-transcript.ts';

interface Wish extends Partial<Omit<ContextState, 'session'>> {
  session?: Partial<Session>;
  config?: Partial<CompressionConfig>;
}

// 200,000 tokens: trigger 150,000, prepared from 120,000 on, hard limit 192,000.
function decide({ session, config, ...changes }: Wish): CompressDecision {
  const state: ContextState = {
    promptTokens: 160_000,
    source: 'api',
    budget: budgetOf(200_000),
    liveRows: 100,
    session: aSession(session),
    now: noon,
    ...changes,
  };
  return compressorFor(200_000, config).shouldCompress(state);
}

const later = new Date(noon.getTime() + 60_000);
const earlier = new Date(noon.getTime() - 60_000);

test.each([
  [119_999, { kind: 'no', reason: 'below_threshold' }],
  [120_000, { kind: 'prepare' }],
  [149_999, { kind: 'prepare' }],
  [150_000, { kind: 'now', reason: 'threshold' }],
  [191_999, { kind: 'now', reason: 'threshold' }],
  [192_000, { kind: 'now', reason: 'hard_limit' }],
] as const)('a prompt of %i tokens gives %j', (promptTokens, decision) => {
  expect(decide({ promptTokens })).toEqual(decision);
});

test('without background nothing is prepared', () => {
  expect(decide({ promptTokens: 140_000, config: { background: false } })).toEqual({
    kind: 'no',
    reason: 'below_threshold',
  });
});

test('switched off, not even the hard limit compacts', () => {
  expect(decide({ promptTokens: 199_000, config: { enabled: false } })).toEqual({
    kind: 'no',
    reason: 'none',
  });
});

test('F10 a stored rest holds back automatic runs until it is over', () => {
  const resting = decide({ session: { cooldownUntil: later } });
  const preparing = decide({ promptTokens: 130_000, session: { cooldownUntil: later } });
  const over = decide({ session: { cooldownUntil: earlier } });

  expect([resting, preparing, over]).toEqual([
    { kind: 'no', reason: 'cooldown' },
    { kind: 'no', reason: 'below_threshold' },
    { kind: 'now', reason: 'threshold' },
  ]);
});

test('F10 two ineffective runs hold back automatic ones, one does not', () => {
  expect([
    decide({ session: { ineffectiveStreak: 2 } }),
    decide({ session: { ineffectiveStreak: 1 } }),
  ]).toEqual([
    { kind: 'no', reason: 'breaker_open' },
    { kind: 'now', reason: 'threshold' },
  ]);
});

test('F10 after two ineffective runs one probe is allowed from its stored time on', () => {
  const struck = { ineffectiveStreak: 2 };

  expect([
    decide({ session: { ...struck, probeAt: later } }),
    decide({ session: { ...struck, probeAt: earlier } }),
    decide({ session: { fallbackStreak: 2, probeAt: later } }),
    decide({ promptTokens: 130_000, session: { ...struck, probeAt: earlier } }),
  ]).toEqual([
    { kind: 'no', reason: 'breaker_open' },
    { kind: 'now', reason: 'threshold' },
    { kind: 'no', reason: 'breaker_open' },
    { kind: 'prepare' },
  ]);
});

test('after nothing could be taken out the trigger rests, until the hard limit', () => {
  const session = { structuralUntil: later };

  expect([decide({ session }), decide({ session, promptTokens: 192_000 })]).toEqual([
    { kind: 'no', reason: 'cooldown' },
    { kind: 'now', reason: 'hard_limit' },
  ]);
});

test('at the hard limit neither rest nor streak holds anything back', () => {
  expect(decide({ promptTokens: 192_000, session: { cooldownUntil: later, ineffectiveStreak: 5 } })).toEqual({
    kind: 'now',
    reason: 'hard_limit',
  });
});

test('U2 right after a compaction an estimate over the trigger starts no second one, one at the hard limit does', () => {
  const session = { lastPromptTokens: -1 };
  const over = decide({ source: 'estimate', session });
  const full = decide({ source: 'estimate', session, promptTokens: 192_000 });

  expect([over, full]).toEqual([
    { kind: 'no', reason: 'below_threshold' },
    { kind: 'now', reason: 'hard_limit' },
  ]);
});

test('U4 an estimate alone decides where no count ever came', () => {
  expect(decide({ source: 'estimate' })).toEqual({ kind: 'now', reason: 'threshold' });
});

test('a conversation of three rows has nothing to take out', () => {
  expect(decide({ liveRows: 3 })).toEqual({ kind: 'no', reason: 'too_few_messages' });
});

test('T7 a model switch moves the trigger', () => {
  const engine = compressorFactory(configWith({ model_thresholds: { opus: 0.9 } })).create({
    session: aSession(),
    model: aModel(),
    state: null,
  });
  const before = engine.getStatus(budgetOf(200_000)).triggerTokens;
  engine.updateModel(aModel({ name: 'claude-opus-5', windowTokens: 1_000_000 }));

  expect([before, engine.getStatus(budgetOf(1_000_000)).triggerTokens]).toEqual([150_000, 900_000]);
});

test('the status names trigger, preparation and hard limit', () => {
  expect(compressorFor(200_000).getStatus(budgetOf(200_000))).toMatchObject({
    engine: 'compressor',
    triggerTokens: 150_000,
    prepareTokens: 120_000,
    hardLimitTokens: 192_000,
  });
});

test('the compressor has no tools, and a call of one is answered as an error', async () => {
  const engine = compressorFor(200_000);
  const answer = await engine.handleToolCall(
    { id: '1', name: 'lcm_grep', arguments: '{}' },
    null as never,
    new MemoryTranscript(),
  );

  expect(engine.getToolSchemas()).toEqual([]);
  expect(answer).toEqual({
    result: { text: '{"error":"the context engine has no tool \\"lcm_grep\\""}', isError: true },
  });
});

test('the registry finds engines by name and falls to the compressor with a warning', () => {
  const compressor = compressorFactory(configWith());
  const registry = engineRegistry([compressor, compressorFactory(configWith())]);

  expect(registry.find('compressor')).toEqual({ factory: compressor, warning: null });
  expect(registry.find('lmc').factory).toBe(compressor);
  expect(registry.find('lmc').warning).toBe(
    'context engine "lmc" is not known (known: compressor); the compressor takes its place',
  );
  expect(registry.warnings).toHaveLength(1);
  expect(() => engineRegistry([])).toThrow('the engine "compressor" is missing');
});
