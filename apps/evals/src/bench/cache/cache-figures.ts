import { rounded, type Figures } from '../figures.ts';
import type { TalkRequest } from './tool-talk.ts';

/** Claude's prices over plain input: reading from the cache, and writing to it for five minutes. */
const readPrice = 0.1;
const writePrice = 1.25;
/** A prompt smaller than this share of the one before: a compaction lies between them. */
const shrunk = 0.9;
/** Turns after a compaction that are looked at one by one; 0 is the one whose prompt it changed. */
const turnsAfter = 4;

/** Figures of one engine, each key beginning with its name. */
export function cacheFigures(engine: string, requests: readonly TalkRequest[]): Figures {
  const sum = (of: (request: TalkRequest) => number): number =>
    requests.reduce((total, request) => total + of(request), 0);
  const promptTokens = sum((request) => request.promptTokens);
  const cost = sum(
    ({ promptTokens: all, cacheReadTokens: read, cacheWriteTokens: written }) =>
      all - read - written + read * readPrice + written * writePrice,
  );
  const cold = requests.flatMap(({ promptTokens: all }, index) =>
    all < (requests[index - 1]?.promptTokens ?? 0) * shrunk ? [index] : [],
  );
  return {
    [`${engine}_input_saving_percent`]: rounded((1 - cost / promptTokens) * 100),
    [`${engine}_cache_read_percent`]: rounded(
      (sum((request) => request.cacheReadTokens) / promptTokens) * 100,
    ),
    [`${engine}_requests`]: requests.length,
    [`${engine}_compactions`]: cold.length,
    [`${engine}_largest_prompt_tokens`]: Math.max(...requests.map((request) => request.promptTokens)),
    [`${engine}_least_read_tokens`]: Math.min(...requests.slice(1).map((request) => request.cacheReadTokens)),
    ...afterCompactions(engine, requests, cold),
  };
}

/** Share read from the cache, turn by turn, over all compactions. */
function afterCompactions(
  engine: string,
  requests: readonly TalkRequest[],
  cold: readonly number[],
): Figures {
  if (cold.length === 0) return {};
  const figures: Figures = {};
  for (let after = 0; after < turnsAfter; after += 1) {
    const seen = cold.flatMap((index) => {
      const turn = requests[index]!.turn + after;
      return requests.filter((request, at) => request.turn === turn && at >= index);
    });
    const read = seen.reduce((total, { cacheReadTokens }) => total + cacheReadTokens, 0);
    const all = seen.reduce((total, { promptTokens }) => total + promptTokens, 0);
    if (all > 0) figures[`${engine}_read_percent_${after}_turns_after`] = rounded((read / all) * 100);
  }
  return figures;
}
