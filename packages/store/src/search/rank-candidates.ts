/** Which of the rows that hold some of the words come first. Pure: the same rows and words give the same order. */
import type { Candidate } from './candidates.ts';

/** What finding a wanted thing is worth: loosely found, and what being found as written adds. */
export interface Worth {
  loose: number;
  exact: number;
}

export interface RankWish {
  /** Of each bit of the candidates. */
  worths: readonly Worth[];
  /** Rows in the scope. */
  rows: number;
  /** Words of the query: the line of somebody it names counts more. */
  names: ReadonlySet<string>;
}

export interface Ranked {
  candidate: Candidate;
  score: number;
}

export interface Ranking {
  /** Best first; of equals the newer. Each row once, by its best piece. */
  ranked: readonly Ranked[];
  /** What any row of a session counts, found or not: what it holds and what its neighbours do. */
  scoreOf(row: { sessionId: string; seq: number; sender: string | null }): number;
}

/**
 * What is said around a line tells what it is about: the question before an answer, the picture after it. Shares of the
 * neighbours' scores at a distance of one row, two, … on both sides.
 */
const neighbourShares = [0.5, 0.35, 0.25, 0.15] as const;
/** Room between two rows of a session. */
const seqGap = 1024;
/** How much the length of a row takes from it (b of BM25); what it holds counts once, however often it is there. */
const lengthShare = 0.4;
const saturation = 1.2;
const nameBonus = 0.5;

export function rankCandidates(candidates: readonly Candidate[], wish: RankWish): Ranking {
  const own = bestPieces(candidates, ownScore(candidates, wish));
  const bySession = Map.groupBy(
    own.toSorted((a, b) => a.candidate.seq - b.candidate.seq),
    ({ candidate }) => candidate.sessionId,
  );
  const scoreOf: Ranking['scoreOf'] = ({ sessionId, seq, sender }) =>
    scoreAround(bySession.get(sessionId) ?? [], seq) * (isNamed(sender, wish.names) ? 1 + nameBonus : 1);
  const ranked = own
    .map(({ candidate }) => ({ candidate, score: scoreOf(candidate) }))
    .sort(
      (a, b) =>
        b.score - a.score || b.candidate.sentAt - a.candidate.sentAt || b.candidate.rowId - a.candidate.rowId,
    );
  return { ranked, scoreOf };
}

/** BM25 with each thing there or not there: rare ones weigh more, long rows less. */
function ownScore(candidates: readonly Candidate[], wish: RankWish): (candidate: Candidate) => number {
  const weights = wish.worths.map(({ loose, exact }, bit) => ({
    loose: loose * rarity(countWith(candidates, 'loose', bit), wish.rows),
    exact: exact * rarity(countWith(candidates, 'exact', bit), wish.rows),
  }));
  const meanSize = candidates.reduce((sum, { size }) => sum + size, 0) / Math.max(1, candidates.length);
  return ({ loose, exact, size }) => {
    const length = 1 - lengthShare + (lengthShare * size) / meanSize;
    const found = weights.reduce(
      (sum, weight, bit) =>
        sum + (loose & (1 << bit) ? weight.loose : 0) + (exact & (1 << bit) ? weight.exact : 0),
      0,
    );
    return (found * (saturation + 1)) / (1 + saturation * length);
  };
}

function countWith(candidates: readonly Candidate[], way: 'loose' | 'exact', bit: number): number {
  return candidates.reduce((sum, candidate) => sum + (candidate[way] & (1 << bit) ? 1 : 0), 0);
}

function rarity(withIt: number, rows: number): number {
  const all = Math.max(rows, withIt);
  return Math.log(1 + (all - withIt + 0.5) / (withIt + 0.5));
}

function bestPieces(candidates: readonly Candidate[], scoreOf: (candidate: Candidate) => number): Ranked[] {
  const best = new Map<number, Ranked>();
  for (const candidate of candidates) {
    const score = scoreOf(candidate);
    if (score > (best.get(candidate.rowId)?.score ?? -1)) best.set(candidate.rowId, { candidate, score });
  }
  return [...best.values()];
}

/** Scores of one session's rows in seq order → what a row at `seq` counts with its neighbours. */
function scoreAround(rows: readonly Ranked[], seq: number): number {
  const reach = (neighbourShares.length + 0.5) * seqGap;
  let sum = 0;
  for (let at = firstFrom(rows, seq - reach); at < rows.length; at += 1) {
    const { candidate, score } = rows[at]!;
    if (candidate.seq > seq + reach) break;
    const distance = Math.round(Math.abs(candidate.seq - seq) / seqGap);
    sum += candidate.seq === seq ? score : (neighbourShares[Math.max(1, distance) - 1] ?? 0) * score;
  }
  return sum;
}

/** Index of the first row whose seq is not below. */
function firstFrom(rows: readonly Ranked[], seq: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.candidate.seq < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isNamed(sender: string | null, names: ReadonlySet<string>): boolean {
  return (
    sender !== null &&
    sender
      .toLowerCase()
      .split(/\s+/)
      .some((name) => names.has(name))
  );
}
