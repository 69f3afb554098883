import { holdRestAfter, ladderOf } from '@palimpsest/core';
import { expect, test } from 'vitest';

test('H9 after failures in a row messages are not held for 300, 900 and 2,700 seconds, never longer than an hour', () => {
  expect([0, 1, 2, 3].map((before) => holdRestAfter(300_000, before))).toEqual([
    300_000, 900_000, 2_700_000, 2_700_000,
  ]);
  expect([0, 1, 2].map((before) => holdRestAfter(600_000, before))).toEqual([600_000, 1_800_000, 3_600_000]);
});

test('F6 time-outs and rate limits share a ladder, cut-off answers have their own, the rest none', () => {
  expect(
    (
      [
        'summary_timeout',
        'summary_rate_limited',
        'summary_too_long',
        'summary_auth',
        'summary_empty',
      ] as const
    ).map(ladderOf),
  ).toEqual(['timeout', 'timeout', 'truncation', null, null]);
});
