/** Full-text search over live and archived rows: one look into the index, ranked here, then the rows with their neighbours. */
import type { SearchHit, SearchScope, TranscriptStore } from '@palimpsest/core';
import { type Database, run, type Transaction, transaction } from '../database.ts';
import { sql } from 'drizzle-orm';
import { type Candidate, findCandidates, type Wanted } from './candidates.ts';
import { chooseHits } from './choose-hits.ts';
import { type Found, readHits } from './read-hits.ts';
import { parseQuery, type SearchTerm, tellingTerms } from './parse-query.ts';
import { wantedDates } from './query-dates.ts';
import { rankCandidates, type Worth } from './rank-candidates.ts';
import { sessionsInScope } from './search-scope.ts';
import { similarTerms } from './similar-words.ts';

type SearchArguments =
  Parameters<TranscriptStore['search']> extends [SearchScope, ...infer Rest] ? Rest : never;
type SearchOptions = SearchArguments[1];

/** Each wanted thing has two bits of a number; what a query says beyond this is no longer what it asks for. */
const maxWanted = 24;
const worthOfTerm: Worth = { loose: 1, exact: 0.3 };
const worthOfDate: Worth = { loose: 0.5, exact: 0.5 };

interface Ground extends SearchOptions {
  query: string;
  sessionId: string;
  scope: readonly string[];
}

/**
 * Rows that hold some of what the query names, best first: rare words weigh more, words are found in all their forms, days by
 * their dates, and a row counts for what its neighbours say too. Where a word is nowhere, words like it are looked for.
 * Withdrawn rows are never found. Stops after 5 s with a retryable database_error.
 */
export function searchTranscript(
  db: Database,
  scope: SearchScope,
  ...[query, options]: SearchArguments
): Promise<readonly SearchHit[]> {
  const terms = parseQuery(query);
  if (terms.length === 0 || options.limit < 1) return Promise.resolve([]);
  return transaction(db, async (tx) => {
    await run(
      tx,
      sql`SELECT set_config('statement_timeout', '5s', true), set_config('jit', 'off', true)`,
      'search_limit',
    );
    const sessions = await sessionsInScope(tx, scope.sessionId);
    if (sessions.length === 0) return [];
    const ground = { ...options, query, sessionId: scope.sessionId, scope: sessions };
    const found = await findRows(tx, tellingTerms(terms), ground);
    return readHits(tx, found, { query, terms, neighbours: options.neighbours });
  });
}

async function findRows(tx: Transaction, terms: readonly SearchTerm[], ground: Ground): Promise<Found[]> {
  const candidates = await look(tx, terms, ground);
  const hits = choose(candidates, terms, ground);
  const missing = hits.length < ground.limit ? terms.filter((_, bit) => !isFound(candidates, bit)) : [];
  if (missing.length === 0) return hits;
  const similar = await similarTerms(tx, ground.scope, missing);
  if (similar.size === 0) return hits;
  const wider = terms.map((term) => similar.get(term) ?? term);
  return choose(await look(tx, wider, ground), wider, ground);
}

function look(tx: Transaction, terms: readonly SearchTerm[], ground: Ground): Promise<Candidate[]> {
  const wanted = [...terms.slice(0, maxWanted), ...datesOf(ground)];
  return findCandidates(tx, { scope: ground.scope, wanted });
}

function datesOf({ query }: Ground): readonly Wanted[] {
  return wantedDates(query, new Date());
}

function isFound(candidates: readonly Candidate[], bit: number): boolean {
  return candidates.some(({ loose }) => (loose & (1 << bit)) !== 0);
}

function choose(candidates: readonly Candidate[], terms: readonly SearchTerm[], ground: Ground): Found[] {
  const wanted = terms.slice(0, maxWanted);
  const worths = [...wanted.map(() => worthOfTerm), ...datesOf(ground).map(() => worthOfDate)];
  const ranked = rankCandidates(candidates, {
    worths,
    rows: candidates[0]?.rows ?? 0,
    names: new Set(terms.flatMap(({ words }) => words)),
  });
  return chooseHits(ranked, ground);
}
