/** Search over messages and summaries in scope. */
import {
  cleanText,
  type LcmGrep,
  type LcmGrepFound,
  type LcmMessageHit,
  type LcmRefusal,
  type LcmScope,
  type LcmSummaryHit,
} from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, type Transaction, transaction } from '../database.ts';
import { StatementRefused } from '../database-error.ts';
import { findRows } from '../search/find-rows.ts';
import { parseQuery, type SearchTerm, tellingTerms } from '../search/parse-query.ts';
import { searchWords } from '../search/tokens.ts';
import { type Ground, maxScanned } from './grep-ground.ts';
import { grepMessages, grepRanked, scanMessages } from './grep-messages.ts';
import { grepSummaries, scanSummaries } from './grep-summaries.ts';
import { guardRegex, looksLikeRegex } from './regex-guard.ts';
import { scopeOf } from './scope.ts';

/** From so many words on a query is a question and no list of words that must all be there. */
const wordsOfQuestion = 4;

/** Guards come first; whatever is refused has searched nothing. */
export async function grep(
  db: Database,
  scope: LcmScope,
  asked: LcmGrep,
): Promise<LcmGrepFound | LcmRefusal> {
  const wish = { ...asked, query: cleanText(asked.query) };
  if (wish.query.trim() === '') return { kind: 'refused', reason: 'empty_query' };
  if (wish.mode === 'regex') return regex(db, scope, wish);
  if (looksLikeRegex(wish.query)) return { kind: 'refused', reason: 'regex_in_full_text' };
  return fullText(db, scope, wish);
}

async function fullText(db: Database, scope: LcmScope, wish: LcmGrep): Promise<LcmGrepFound | LcmRefusal> {
  const terms = parseQuery(wish.query);
  if (terms.length === 0) return found(wish, [], 0);
  const words = searchWords(wish.query);
  return limited(db, async (tx) => {
    const ground = { sessions: await scopeOf(tx, scope), grep: wish };
    const exact = terms.map((term) => `(${term.exact})`).join(' & ');
    const loose = terms.map((term) => `(${term.loose})`).join(' & ');
    const hits = await both(tx, ground, { terms: exact, words });
    // Words find longer words only where they find nothing as they are.
    const wider = hits.length > 0 || loose === exact ? hits : await both(tx, ground, { terms: loose, words });
    if (wider.length > 0 || terms.length < wordsOfQuestion || !wish.messages) return found(wish, wider, 0);
    return { ...found({ ...wish, sort: 'relevance' }, await partly(tx, ground, terms), 0), isPartial: true };
  });
}

/** A question in whole words: hardly a row holds all of them. */
async function partly(
  tx: Transaction,
  ground: Ground,
  terms: readonly SearchTerm[],
): Promise<LcmMessageHit[]> {
  const telling = tellingTerms(terms);
  const { hits } = await findRows(tx, telling, {
    query: ground.grep.query,
    scope: ground.sessions,
    limit: ground.grep.limit,
    neighbours: 0,
  });
  return grepRanked(tx, ground, { hits, words: telling.flatMap((term) => term.words) });
}

async function both(
  tx: Transaction,
  ground: Ground,
  query: { terms: string; words: readonly string[] },
): Promise<(LcmMessageHit | LcmSummaryHit)[]> {
  const messages = ground.grep.messages ? await grepMessages(tx, ground, query) : [];
  const summaries = ground.grep.summaries ? await grepSummaries(tx, ground, query) : [];
  return [...messages, ...summaries];
}

async function regex(db: Database, scope: LcmScope, wish: LcmGrep): Promise<LcmGrepFound | LcmRefusal> {
  const guarded = guardRegex(wish.query);
  if (guarded.kind === 'refused') return guarded;
  return limited(db, async (tx) => {
    const ground = { sessions: await scopeOf(tx, scope), grep: wish };
    const none = { hits: [], scanned: 0 };
    const messages = wish.messages ? await scanMessages(tx, ground, guarded.postgres) : none;
    const summaries = wish.summaries ? await scanSummaries(tx, ground, guarded.postgres) : none;
    return found(wish, [...messages.hits, ...summaries.hits], Math.max(messages.scanned, summaries.scanned));
  });
}

/** Newest or best first, cut to the limit. */
function found(
  wish: LcmGrep,
  hits: readonly (LcmMessageHit | LcmSummaryHit)[],
  scanned: number,
): LcmGrepFound {
  const now = Date.now();
  const key = (hit: LcmMessageHit | LcmSummaryHit): number => {
    if (wish.sort === 'recency') return timeOf(hit);
    if (wish.sort === 'relevance') return hit.rank;
    return hit.rank / (1 + (0.001 * (now - timeOf(hit))) / 3_600_000);
  };
  const sorted = [...hits].sort((a, b) => key(b) - key(a) || timeOf(b) - timeOf(a));
  return {
    kind: 'found',
    hits: sorted.slice(0, wish.limit),
    scanned: Math.min(scanned, maxScanned),
    isCut: scanned > maxScanned,
  };
}

function timeOf(hit: LcmMessageHit | LcmSummaryHit): number {
  return (hit.kind === 'message' ? hit.sentAt : hit.summary.latestAt).getTime();
}

/** Two seconds a statement; whatever a query makes Postgres refuse is an answer, not an error. */
export async function limited<Found>(
  db: Database,
  work: (tx: Transaction) => Promise<Found>,
): Promise<Found | LcmRefusal> {
  try {
    return await transaction(db, async (tx) => {
      // A search over many sessions names each of them, which the planner takes for dearer than reading the whole index table.
      await run(
        tx,
        sql`SELECT set_config('statement_timeout', '2s', true), set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`,
        'lcm_limit_search',
      );
      return work(tx);
    });
  } catch (thrown) {
    if (thrown instanceof StatementRefused && thrown.sqlState === '57014')
      return { kind: 'refused', reason: 'too_slow' };
    if (thrown instanceof StatementRefused && thrown.sqlState === '2201B')
      return { kind: 'refused', reason: 'bad_regex' };
    throw thrown;
  }
}
