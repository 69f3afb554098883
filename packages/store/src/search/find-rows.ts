/** Terms → the best rows of a scope: candidates from the index, ranked; words that nobody wrote replaced by words like them. */
import type { Transaction } from '../database.ts';
import { type Candidate, findCandidates, type Wanted } from './candidates.ts';
import { chooseHits } from './choose-hits.ts';
import type { FindWish } from './find-wish.ts';
import type { SearchTerm } from './parse-query.ts';
import { wantedDates } from './query-dates.ts';
import { rankCandidates, type Ranked, type Ranking, type Worth } from './rank-candidates.ts';
import { similarTerms } from './similar-words.ts';

/** Each wanted thing is a bit of a number; what a query says beyond this is no longer what it asks for. */
const maxWanted = 24;
const worthOfTerm: Worth = { loose: 1, exact: 0.3 };
/** A path or a "quoted phrase" names one thing: all its words apart from each other are something else. */
const worthOfPhrase: Worth = { loose: 1, exact: 1 };
const worthOfDate: Worth = { loose: 0.5, exact: 0.5 };

/** Rows that were chosen, and what the rows around them count. */
export interface Found {
  hits: readonly Ranked[];
  scoreOf: Ranking['scoreOf'];
}

/** Best first. A second look is taken only where there are too few hits and a word of the query is nowhere. */
export async function findRows(
  tx: Transaction,
  terms: readonly SearchTerm[],
  wish: FindWish,
): Promise<Found> {
  const asked = terms.slice(0, maxWanted);
  const dates = wantedDates(wish.query, new Date());
  const candidates = await findCandidates(tx, { scope: wish.scope, wanted: [...asked, ...dates] });
  const found = choose(candidates, { terms: asked, dates }, wish);
  const missing = found.hits.length < wish.limit ? asked.filter((_, bit) => !isFound(candidates, bit)) : [];
  if (missing.length === 0) return found;
  const similar = await similarTerms(tx, wish.scope, missing);
  if (similar.size === 0) return found;
  const wider = asked.map((term) => similar.get(term) ?? term);
  const more = await findCandidates(tx, { scope: wish.scope, wanted: [...wider, ...dates] });
  return choose(more, { terms: wider, dates }, wish);
}

function isFound(candidates: readonly Candidate[], bit: number): boolean {
  return candidates.some(({ loose }) => (loose & (1 << bit)) !== 0);
}

function choose(
  candidates: readonly Candidate[],
  { terms, dates }: { terms: readonly SearchTerm[]; dates: readonly Wanted[] },
  wish: FindWish,
): Found {
  const { ranked, scoreOf } = rankCandidates(candidates, {
    worths: [
      ...terms.map(({ words }) => (words.length > 1 ? worthOfPhrase : worthOfTerm)),
      ...dates.map(() => worthOfDate),
    ],
    rows: candidates[0]?.rows ?? 0,
    names: new Set(terms.flatMap(({ words }) => words)),
  });
  return { hits: chooseHits(ranked, wish), scoreOf };
}
