import { expect, test } from 'vitest';
import { nudgeLimits } from '../../../packages/engines/src/dcp/nudges/limits.ts';
import { usageOf } from '../../../packages/engines/src/dcp/nudges/usage.ts';
import { dcpConfig, type DcpChanges } from '../../support/dcp-world.ts';
import { aModel, answerRow, aSession, MemoryTranscript, userRow } from '../../support/memory-transcript.ts';

type Compress = NonNullable<DcpChanges['compress']>;

function limitsFor(compress: Compress, windowTokens = 200_000, summaryTokens = 0) {
  return nudgeLimits({
    config: dcpConfig({ compress }).context.dcp,
    model: aModel({ windowTokens }),
    budget: { windowTokens, outputReserveTokens: 20_000, overheadTokens: 500 },
    summaryTokens,
  });
}

test('D20 percent are of the whole window, not of what the answer leaves', () => {
  expect(limitsFor({ maxContextLimit: '80%', minContextLimit: '60%' })).toEqual({
    maxTokens: 160_000,
    minTokens: 120_000,
  });
});

test('D19 active summaries raise the upper limit by their tokens, unless summaryBuffer is off', () => {
  expect(limitsFor({}, 200_000, 1_000)?.maxTokens).toBe(101_000);
  expect(limitsFor({ summaryBuffer: false }, 200_000, 1_000)?.maxTokens).toBe(100_000);
});

test('the upper limit stays below hygiene and the hard limit, whatever raises it', () => {
  expect(limitsFor({}, 200_000, 500_000)?.maxTokens).toBe(169_999);
  expect(limitsFor({ maxContextLimit: '100%' })?.maxTokens).toBe(169_999);
  expect(limitsFor({ maxContextLimit: '100%' }, 100_000)?.maxTokens).toBe(79_999);
});

test('limits in tokens that are meant for large windows are drawn down to a small one', () => {
  expect(limitsFor({}, 64_000)).toEqual({ maxTokens: 43_999, minTokens: 32_000 });
});

test('a model has limits of its own by provider and name, else by name', () => {
  const own = { 'anthropic/test-model': 70_000, 'test-model': 60_000 };

  expect(limitsFor({ modelMaxLimits: own })?.maxTokens).toBe(70_000);
  expect(limitsFor({ modelMaxLimits: { 'test-model': 60_000 } })?.maxTokens).toBe(60_000);
  expect(limitsFor({ modelMaxLimits: { other: 1 } })?.maxTokens).toBe(100_000);
});

test('without a known window there are no limits', () => {
  expect(limitsFor({ maxContextLimit: '80%' }, 0)).toBeNull();
});

const budget = { windowTokens: 200_000, outputReserveTokens: 20_000, overheadTokens: 500 };

function usage(session: Parameters<typeof aSession>[0], measured = 3_000): number {
  const transcript = new MemoryTranscript(aSession(session));
  transcript.append(userRow('hello'));
  transcript.append(answerRow('hi'));
  Object.assign(transcript.append(userRow('go on then')), { tokens: 8 });
  return usageOf(transcript, measured, budget);
}

test('D18 the size is 0 right after a compression and the new total once an answer came', () => {
  expect(usage({ lastPromptTokens: -1 })).toBe(0);
  // Prompt 4,000 and answer 50 are known up to the second row; the third is estimated with 8 tokens.
  expect(usage({ lastPromptTokens: 4_000, lastOutputTokens: 50, lastPricedSeq: 1_024 })).toBe(4_058);
});

test('a provider that never counts gives an estimate', () => {
  expect(usage({ lastPromptTokens: 0, estimateRatio: 2 })).toBe(6_500);
});
