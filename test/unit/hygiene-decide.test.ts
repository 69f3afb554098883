import {
  condensedText,
  decideHygiene,
  hygieneThreshold,
  hygieneWarnTokens,
  localSummaryText,
  summaryFailedText,
  type HygieneInput,
} from '@palimpsest/hygiene';
import { expect, test } from 'vitest';

const now = new Date('2026-03-02T12:00:00Z');
const full: HygieneInput = {
  promptTokens: 170_000,
  source: 'api',
  windowTokens: 200_000,
  hardLimitTokens: 192_000,
  liveRows: 40,
  config: { enabled: true, hygiene_hard_message_limit: null },
  session: { cooldownUntil: null },
  now,
};

test('H1 H2 many short messages alone do not trigger', () => {
  expect(decideHygiene({ ...full, liveRows: 300, promptTokens: 12_000 })).toEqual({
    kind: 'skip',
    reason: 'below_threshold',
  });
});

test.each([
  [128_000, 108_800],
  [200_000, 170_000],
  [1_000_000, 850_000],
])('H3 a window of %i is tidied from %i tokens on', (windowTokens, threshold) => {
  const input = { ...full, windowTokens, hardLimitTokens: windowTokens };

  expect(decideHygiene({ ...input, promptTokens: threshold })).toEqual({
    kind: 'compact',
    threshold,
    by: 'tokens',
  });
  expect(decideHygiene({ ...input, promptTokens: threshold - 1 })).toEqual({
    kind: 'skip',
    reason: 'below_threshold',
  });
});

test('where the hard limit lies below 85 %, hygiene starts there', () => {
  expect([
    hygieneThreshold(200_000, 150_000),
    decideHygiene({ ...full, hardLimitTokens: 150_000, promptTokens: 150_000 }).kind,
  ]).toEqual([150_000, 'compact']);
});

test('H4 a window of 200,000 is warned of from 190,000 tokens on', () => {
  expect(hygieneWarnTokens(200_000)).toBe(190_000);
});

test('H5 an estimate uses the same threshold as a count, below the window', () => {
  expect(decideHygiene({ ...full, source: 'estimate' })).toEqual({
    kind: 'compact',
    threshold: 170_000,
    by: 'tokens',
  });
});

test('H6 fewer than four messages are left alone', () => {
  expect([decideHygiene({ ...full, liveRows: 3 }), decideHygiene({ ...full, liveRows: 4 }).kind]).toEqual([
    { kind: 'skip', reason: 'too_few_messages' },
    'compact',
  ]);
});

test('compression switched off switches hygiene off', () => {
  expect(decideHygiene({ ...full, config: { enabled: false, hygiene_hard_message_limit: null } })).toEqual({
    kind: 'skip',
    reason: 'disabled',
  });
});

test('decision 8: rows count only where the operator set a limit', () => {
  const config = { enabled: true, hygiene_hard_message_limit: 5_000 };

  expect(decideHygiene({ ...full, config, promptTokens: 9_000, liveRows: 5_000 })).toEqual({
    kind: 'compact',
    threshold: 170_000,
    by: 'rows',
  });
  expect(decideHygiene({ ...full, config, promptTokens: 9_000, liveRows: 4_999 })).toEqual({
    kind: 'skip',
    reason: 'below_threshold',
  });
});

test('a rest after a failure is kept below the hard limit and broken at it', () => {
  const session = { cooldownUntil: new Date(now.getTime() + 1_000) };

  expect([
    decideHygiene({ ...full, session }),
    decideHygiene({ ...full, session, promptTokens: 192_000 }).kind,
  ]).toEqual([{ kind: 'skip', reason: 'cooldown' }, 'compact']);
});

test('a rest that is over holds nothing back', () => {
  expect(decideHygiene({ ...full, session: { cooldownUntil: now } }).kind).toBe('compact');
});

test('notices are one or two plain sentences without settings or figures', () => {
  for (const text of [condensedText, localSummaryText, summaryFailedText]) {
    expect(text.length).toBeLessThan(240);
    expect(text).not.toMatch(/compression|hygiene|token|\d/i);
  }
});
