import { expect, test } from 'vitest';

import { cacheFigures } from '../../apps/evals/src/bench/cache/cache-figures.ts';

const request = (turn: number, promptTokens: number, cacheReadTokens: number, cacheWriteTokens: number) => ({
  turn,
  promptTokens,
  cacheReadTokens,
  cacheWriteTokens,
});

test('saving, read share and the turns after a compaction are what a hand would work out', () => {
  const figures = cacheFigures('compressor', [
    request(0, 1_000, 0, 1_000),
    request(1, 2_000, 1_000, 1_000),
    // The prompt halves: a compaction; only the system prompt is read.
    request(2, 1_000, 200, 800),
    request(3, 1_500, 1_000, 500),
  ]);

  // 5,500 of plain input against 2,200 read at a tenth and 3,300 written at five quarters: 220 + 4,125.
  expect(figures).toEqual({
    compressor_input_saving_percent: 21,
    compressor_cache_read_percent: 40,
    compressor_requests: 4,
    compressor_compactions: 1,
    compressor_largest_prompt_tokens: 2_000,
    compressor_least_read_tokens: 200,
    compressor_read_percent_0_turns_after: 20,
    compressor_read_percent_1_turns_after: 66.7,
  });
});
