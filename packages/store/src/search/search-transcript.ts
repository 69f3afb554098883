/** Full-text search over live and archived rows: one look into the index, ranked here, then the rows with their neighbours. */
import type { SearchHit, SearchScope, TranscriptStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, transaction } from '../database.ts';
import { findRows } from './find-rows.ts';
import { parseQuery, tellingTerms } from './parse-query.ts';
import { readHits } from './read-hits.ts';
import { sessionsInScope } from './search-scope.ts';

type SearchArguments =
  Parameters<TranscriptStore['search']> extends [SearchScope, ...infer Rest] ? Rest : never;

/**
 * Rows that hold some of what the query names, best first: rare words weigh more, words are found in all their forms, days by
 * their dates, and a row counts for what its neighbours say too. Where a word is nowhere, words like it are looked for.
 * Withdrawn rows are never found. Stops after 5 s with a retryable database_error.
 */
export function searchTranscript(
  db: Database,
  { sessionId }: SearchScope,
  ...[query, { limit, neighbours, liveOfOwnSession }]: SearchArguments
): Promise<readonly SearchHit[]> {
  const terms = parseQuery(query);
  if (terms.length === 0 || limit < 1) return Promise.resolve([]);
  return transaction(db, async (tx) => {
    await run(
      tx,
      sql`SELECT set_config('statement_timeout', '5s', true), set_config('jit', 'off', true)`,
      'search_limit',
    );
    const scope = await sessionsInScope(tx, sessionId);
    if (scope.length === 0) return [];
    const found = await findRows(tx, tellingTerms(terms), {
      query,
      scope,
      limit,
      neighbours,
      withoutLiveOf: liveOfOwnSession ? undefined : sessionId,
    });
    return readHits(tx, found, { query, terms, neighbours });
  });
}
