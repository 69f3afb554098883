import type { FindWish } from './find-wish.ts';
import type { Ranked } from './rank-candidates.ts';

/** So near to a better hit a row is shown beside it. */
const shownBeside = 1;
/** A row of more different words is cut where it is shown beside a hit, so it may have to be a hit of its own. */
const shownWholeSize = 120;
const seqGap = 1024;

/** The best rows, without those that are shown beside a better one anyhow. */
export function chooseHits(ranked: readonly Ranked[], wish: FindWish): Ranked[] {
  const hits: Ranked[] = [];
  const apart = Math.min(shownBeside, wish.neighbours) * seqGap;
  for (const one of ranked) {
    if (hits.length === wish.limit) break;
    if (one.candidate.isLive && one.candidate.sessionId === wish.withoutLiveOf) continue;
    if (!hits.some((hit) => isShownBeside(one, hit, apart))) hits.push(one);
  }
  return hits;
}

function isShownBeside({ candidate }: Ranked, hit: Ranked, apart: number): boolean {
  return (
    candidate.sessionId === hit.candidate.sessionId &&
    candidate.size <= shownWholeSize &&
    Math.abs(candidate.seq - hit.candidate.seq) <= apart
  );
}
