import { defaultConfig, parseConfig } from '@palimpsest/core';
import { expect, test } from 'vitest';

const dcpOf = (yaml: string) => parseConfig(`context:\n  dcp:\n${yaml}`, 'config.yaml').context.dcp;

test('without any key the settings are those of the documentation, recent turns protected', () => {
  expect(defaultConfig().context.dcp).toMatchObject({
    enabled: true,
    manualMode: { enabled: false, automaticStrategies: true },
    turnProtection: { enabled: true, turns: 4 },
    protectedFilePatterns: [],
    compress: {
      mode: 'range',
      permission: 'allow',
      summaryBuffer: true,
      maxContextLimit: 100_000,
      minContextLimit: 50_000,
      nudgeFrequency: 5,
      iterationNudgeThreshold: 15,
      nudgeForce: 'soft',
      protectedTools: ['task', 'skill', 'todowrite', 'todoread'],
      protectTags: false,
      protectUserMessages: false,
    },
    strategies: { deduplication: { enabled: true }, purgeErrors: { enabled: true, turns: 4 } },
    hygiene: 'block',
    maxSummaryTokens: 60_000,
  });
});

test('limits are tokens or a share of the window, by model too; the cadence is floored', () => {
  const { compress } = dcpOf(`    compress:
      maxContextLimit: 80%
      minContextLimit: 60.5%
      modelMaxLimits: { anthropic/claude: 150000 }
      nudgeFrequency: 3.9`);

  expect(compress).toMatchObject({
    maxContextLimit: '80%',
    minContextLimit: '60.5%',
    modelMaxLimits: { 'anthropic/claude': 150_000 },
    nudgeFrequency: 3,
  });
});

test.each([
  ['    compress: { maxContextLimit: 101% }', 'maxContextLimit: "101%"', 'a number of tokens or "X%", 0-100'],
  ['    compress: { minContextLimit: 0 }', 'minContextLimit: 0', 'a number of tokens or "X%", 0-100'],
  [
    '    compress: { minContextLimit: 90%, maxContextLimit: 80% }',
    'minContextLimit: "90%"',
    'at most maxContextLimit',
  ],
  ['    compress: { mode: both }', 'mode: "both"', 'range, message'],
  ['    hygiene: compressor', 'hygiene: "compressor"', 'observe, block, rewrite'],
])('a wrong value is told with its key and with what is allowed: %s', (yaml, key, allowed) => {
  expect(() => dcpOf(yaml)).toThrow(key);
  expect(() => dcpOf(yaml)).toThrow(allowed);
});

test('a share and a number of tokens are not compared: the window is not known yet', () => {
  expect(
    dcpOf('    compress: { minContextLimit: 50000, maxContextLimit: 80% }').compress.maxContextLimit,
  ).toBe('80%');
});
