import type { Ranked } from './rank-candidates.ts';

/** A row of more different words is cut where it is shown beside a hit, so it may have to be a hit of its own. */
const shownWholeSize = 120;
const seqGap = 1024;

export interface HitWish {
  sessionId: string;
  limit: number;
  /** Rows shown on each side of a hit. */
  neighbours: number;
  liveOfOwnSession: boolean;
}

/** The best rows, without those that are shown beside a better one anyhow. */
export function chooseHits(ranked: readonly Ranked[], wish: HitWish): Ranked[] {
  const hits: Ranked[] = [];
  for (const one of ranked) {
    if (hits.length === wish.limit) break;
    const isOwn = one.candidate.isLive && one.candidate.sessionId === wish.sessionId;
    if (isOwn && !wish.liveOfOwnSession) continue;
    if (!hits.some((hit) => isShownBeside(one, hit, wish.neighbours))) hits.push(one);
  }
  return hits;
}

function isShownBeside({ candidate }: Ranked, hit: Ranked, neighbours: number): boolean {
  return (
    candidate.sessionId === hit.candidate.sessionId &&
    candidate.size <= shownWholeSize &&
    Math.abs(candidate.seq - hit.candidate.seq) <= neighbours * seqGap
  );
}
