import { decideHygiene, hygieneThreshold, hygieneWarnTokens, type HygieneInput } from '@palimpsest/hygiene';
import { expect, test } from 'vitest';

const now = new Date('2026-03-02T12:00:00Z');
const full: HygieneInput = {
  promptTokens: 170_000,
  source: 'api',
  windowTokens: 200_000,
  hardLimitTokens: 192_000,
  liveRows: 40,
  config: { enabled: true, hygiene_hard_message_limit: null },
  session: { cooldownUntil: null, holdRestUntil: null },
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
    mode: 'full',
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
    mode: 'full',
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

test('rows count only where the operator set a limit', () => {
  const config = { enabled: true, hygiene_hard_message_limit: 5_000 };

  expect(decideHygiene({ ...full, config, promptTokens: 9_000, liveRows: 5_000 })).toEqual({
    kind: 'compact',
    threshold: 170_000,
    by: 'rows',
    mode: 'full',
  });
  expect(decideHygiene({ ...full, config, promptTokens: 9_000, liveRows: 4_999 })).toEqual({
    kind: 'skip',
    reason: 'below_threshold',
  });
});

const soon = new Date(now.getTime() + 1_000);

test.each([
  ['of the summary model', { cooldownUntil: soon, holdRestUntil: null }],
  ['of the holds', { cooldownUntil: null, holdRestUntil: soon }],
])('a rest %s is kept below the hard limit; past it the local summary is used at once', (_whose, session) => {
  expect([
    decideHygiene({ ...full, session }),
    decideHygiene({ ...full, session, promptTokens: 192_000 }),
  ]).toEqual([
    { kind: 'skip', reason: 'cooldown' },
    { kind: 'compact', threshold: 170_000, by: 'tokens', mode: 'local' },
  ]);
});

test('a rest that is over holds nothing back', () => {
  const session = { cooldownUntil: now, holdRestUntil: now };

  expect(decideHygiene({ ...full, session })).toMatchObject({ kind: 'compact', mode: 'full' });
});
