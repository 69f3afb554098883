import { defaultConfig } from '@palimpsest/core';
import { resolveTrigger, type ThresholdInput } from '@palimpsest/engines';
import { expect, test } from 'vitest';
import { maxSummaryTokens } from '../../packages/engines/src/compressor/summary-budget.ts';
import { legacyTailTokens } from '../../packages/engines/src/compressor/tail-budget.ts';

const defaults = defaultConfig().compression;
const anyModel = { provider: 'anthropic', name: 'some-model' };

function triggerOf(
  windowTokens: number,
  changes: Partial<ThresholdInput['config']> = {},
  more: Partial<ThresholdInput> = {},
): number {
  const config = { ...defaults, ...changes };
  return resolveTrigger({ windowTokens, config, model: anyModel, maxTokensFromConfig: null, ...more })
    .triggerTokens;
}

const codex = { provider: 'openai-codex', name: 'gpt-5.5' };
const minimum = { minimum_trigger_tokens: 64_000 };

// With the floor on. The first two rows hold with the reference's minimum of 64,000.
test.each([
  [8_192, minimum, 6_963, 1_392, 2_000],
  [64_000, minimum, 54_400, 10_880, 3_200],
  [100_000, {}, 75_000, 15_000, 5_000],
  [128_000, {}, 96_000, 19_200, 6_400],
  [200_000, {}, 150_000, 30_000, 10_000],
  [262_144, {}, 196_608, 39_321, 12_000],
  [400_000, {}, 300_000, 60_000, 12_000],
  [512_000, {}, 256_000, 51_200, 12_000],
  [1_000_000, {}, 500_000, 100_000, 12_000],
])(
  'T4 table 1: a window of %i has its trigger, legacy tail and largest summary',
  (windowTokens, changes, trigger, tail, summary) => {
    const triggerTokens = triggerOf(windowTokens, changes);

    expect([
      triggerTokens,
      legacyTailTokens({ triggerTokens, targetRatio: 0.2, windowTokens }),
      maxSummaryTokens(windowTokens),
    ]).toEqual([trigger, tail, summary]);
  },
);

test('T3 table 1: max_tokens of the operator is taken off the window first', () => {
  const triggerTokens = triggerOf(200_000, {}, { maxTokensFromConfig: 32_000 });

  expect([
    triggerTokens,
    legacyTailTokens({ triggerTokens, targetRatio: 0.2, windowTokens: 200_000 }),
  ]).toEqual([126_000, 25_200]);
});

test('table 1: a base name of Codex at 272,000 is raised to 85 %, and not with the raise off or on another route', () => {
  const raised = triggerOf(272_000, {}, { model: codex });
  const off = triggerOf(272_000, {}, { model: codex, codexAutoraise: false });
  const elsewhere = triggerOf(272_000, {}, { model: { ...codex, provider: 'openai' } });
  const dated = triggerOf(272_000, {}, { model: { ...codex, name: 'gpt-5.5-pro' } });

  expect([raised, off, elsewhere, dated]).toEqual([231_200, 204_000, 204_000, 204_000]);
});

test('every base name of Codex at 272,000 is raised, one that has less or more is not, a higher share stays', () => {
  const at = (name: string, windowTokens = 272_000, threshold = 0.5): number =>
    triggerOf(windowTokens, { threshold }, { model: { ...codex, name } });

  for (const name of ['gpt-5.4', 'gpt-5.5', 'gpt-5.6', 'gpt-5.6-sol', 'gpt-5.6-terra', 'gpt-5.6-luna'])
    expect(at(name)).toBe(231_200);
  expect([at('gpt-5.4-mini'), at('gpt-5.6-pro'), at('gpt-5.3-codex-spark', 128_000)]).toEqual([
    204_000, 204_000, 96_000,
  ]);
  // The aliases with a larger window: half of the window of the table.
  expect([at('gpt-5.6-sol-900k', 872_000), at('gpt-5.4-900k', 900_000)]).toEqual([436_000, 450_000]);
  expect(at('gpt-5.5', 272_000, 0.9)).toBe(244_800);
});

// Table 2: floor off.
test.each([
  [64_000, minimum, 54_400, 10_880],
  [100_000, minimum, 64_000, 12_800],
  [128_000, {}, 64_000, 12_800],
  [200_000, {}, 100_000, 20_000],
  [262_144, {}, 131_072, 26_214],
  [400_000, {}, 200_000, 40_000],
  [512_000, {}, 256_000, 51_200],
  [1_000_000, {}, 500_000, 100_000],
])(
  'T12 table 2: without the floor a window of %i has the plain percentage',
  (windowTokens, changes, trigger, tail) => {
    const triggerTokens = triggerOf(windowTokens, { ...changes, small_context_floor: null });

    expect([triggerTokens, legacyTailTokens({ triggerTokens, targetRatio: 0.2, windowTokens })]).toEqual([
      trigger,
      tail,
    ]);
  },
);

test('T12 table 2: Codex without the floor is 231,200, and 136,000 without the raise', () => {
  const raised = triggerOf(272_000, { small_context_floor: null }, { model: codex });
  const off = triggerOf(272_000, { small_context_floor: null }, { model: codex, codexAutoraise: false });

  expect([
    raised,
    off,
    legacyTailTokens({ triggerTokens: raised, targetRatio: 0.2, windowTokens: 272_000 }),
  ]).toEqual([231_200, 136_000, 46_240]);
});

test('T12 the table of the requirements: 200,000 gives 100,000, 20,000 and 10,000', () => {
  const triggerTokens = triggerOf(200_000, { small_context_floor: null });

  expect([
    triggerTokens,
    legacyTailTokens({ triggerTokens, targetRatio: 0.2, windowTokens: 200_000 }),
    maxSummaryTokens(200_000),
  ]).toEqual([100_000, 20_000, 10_000]);
});

test('by default no minimum lifts the trigger of a small window', () => {
  expect([triggerOf(8_000), triggerOf(16_000), triggerOf(64_000)]).toEqual([6_000, 12_000, 48_000]);
});

test('T1 a window of 1,000,000 at 0.50 has the trigger 500,000', () => {
  expect(triggerOf(1_000_000)).toBe(500_000);
});

test('T2 threshold_tokens caps the trigger, and a cap above the window does nothing', () => {
  expect([
    triggerOf(1_000_000, { threshold_tokens: 200_000 }),
    triggerOf(200_000, { threshold_tokens: 5_000_000 }),
  ]).toEqual([200_000, 150_000]);
});

test('T5 the floor only raises: an override of 0.40 becomes 0.75, one of 0.80 stays', () => {
  expect([
    triggerOf(200_000, { model_thresholds: { some: 0.4 } }),
    triggerOf(200_000, { model_thresholds: { some: 0.8 } }),
  ]).toEqual([150_000, 160_000]);
});

test('T6 a model without a key has the global threshold again', () => {
  const changes = { model_thresholds: { 'claude-opus': 0.8 }, threshold: 0.6 };
  const opus = triggerOf(1_000_000, changes, { model: { provider: 'anthropic', name: 'claude-opus-5' } });

  expect([opus, triggerOf(1_000_000, changes)]).toEqual([800_000, 600_000]);
});

test('the longest matching part of a model name wins, and a key with a provider beats a bare one of its length', () => {
  const thresholds = { claude: 0.55, 'claude-sonnet': 0.6, 'openrouter:claude-sonnet': 0.65 };
  const model = (provider: string) => ({ model: { provider, name: 'anthropic/Claude-Sonnet-5' } });
  const triggers = [model('anthropic'), model('openrouter')].map((more) =>
    triggerOf(1_000_000, { model_thresholds: thresholds }, more),
  );

  expect(triggers).toEqual([600_000, 650_000]);
});

test('an explicit percentage above 85 % is honoured, one of 100 % is not', () => {
  expect([triggerOf(1_000_000, { threshold: 0.9 }), triggerOf(1_000_000, { threshold: 1 })]).toEqual([
    900_000, 850_000,
  ]);
});

test('max_tokens as large as the window counts as none', () => {
  expect(triggerOf(200_000, {}, { maxTokensFromConfig: 200_000 })).toBe(150_000);
});

test('a threshold of 0 still gives a trigger of one token', () => {
  expect(triggerOf(1_000_000, { threshold: 0 })).toBe(1);
});
