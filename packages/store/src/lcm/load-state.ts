/** Everything an engine needs to build a context, but the texts: one statement. */
import type { LcmBreaker, LcmDebt, LcmItem, LcmSpend, LcmState, LcmTelemetry } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, type Executor, run } from '../database.ts';
import { type AsOf, SessionCache } from '../session-cache.ts';
import {
  type HeadRecord,
  headColumns,
  summaryColumns,
  type SummaryRecord,
  toHead,
  toSummary,
} from './summary-record.ts';

interface ItemRecord extends HeadRecord {
  ordinal: number;
  beside: null;
}

interface KnownItems extends AsOf {
  items: readonly LcmItem[];
}

/** Heads of summaries of all sessions. */
const mostItems = 100_000;

export type LcmItems = SessionCache<KnownItems>;

export function openLcmItems(): LcmItems {
  return new SessionCache(mostItems, ({ items }) => items.length);
}

/** Moments inside are text: it is JSON. */
interface Beside {
  rewrites: number;
  now: string;
  boundarySeq: number;
  telemetry: Stored<LcmTelemetry>[];
  debt: Stored<LcmDebt> | null;
  breakers: Stored<LcmBreaker>[];
  spend: Stored<LcmSpend> | null;
}

type Stored<Value> = { [Key in keyof Value]: Extract<Value[Key], Date> extends never ? Value[Key] : string };

/**
 * The last row carries what is beside the items; so that a session without any has it too. Items that were read before and
 * still stand are not read again.
 */
export async function loadState(db: Database, known: LcmItems, sessionId: string): Promise<LcmState> {
  const before = known.find(sessionId);
  const rows = await run<ItemRecord | { beside: Beside }>(
    db,
    sql`SELECT i.ordinal, ${headColumns}, NULL::jsonb AS beside
        FROM lcm_context_items i JOIN lcm_summaries s ON s.session_id = i.session_id AND s.id = i.summary_id
        WHERE i.session_id = ${sessionId} AND i.active = 1
          AND (SELECT rewrites FROM sessions WHERE id = ${sessionId}) <> ${before?.rewrites ?? -1}::bigint
        UNION ALL
        SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, jsonb_build_object(
          'rewrites', (SELECT rewrites FROM sessions WHERE id = ${sessionId}), 'now', now(),
          'boundarySeq', (SELECT coalesce(max(c.boundary_seq), 0) FROM lcm_chapters c WHERE c.session_id = ${sessionId}),
          'telemetry', (SELECT coalesce(jsonb_agg(jsonb_build_object('provider', t.provider, 'model', t.model,
              'cacheState', t.cache_state, 'lastReadAt', t.last_read_at, 'lastWriteAt', t.last_write_at,
              'lastBreakAt', t.last_break_at, 'coldObservations', t.cold_observations, 'turnsSinceLeaf', t.turns_since_leaf,
              'tokensSinceLeaf', t.tokens_since_leaf) ORDER BY t.provider, t.model), '[]')
            FROM lcm_cache_telemetry t WHERE t.session_id = ${sessionId}),
          'debt', (SELECT ${debtJson} FROM lcm_compaction_debt d WHERE d.session_id = ${sessionId}),
          'breakers', (SELECT coalesce(jsonb_agg(jsonb_build_object('provider', b.provider, 'model', b.model,
              'failures', b.failures, 'openUntil', b.open_until) ORDER BY b.provider, b.model), '[]')
            FROM lcm_breaker b WHERE b.failures > 0),
          'spend', (SELECT jsonb_build_object('windowStartedAt', p.window_started_at, 'calls', p.calls,
              'backoffUntil', p.backoff_until) FROM lcm_spend p WHERE p.session_id = ${sessionId}))
        ORDER BY 1 NULLS LAST`,
    'lcm_load_state',
  );
  const beside = rows.at(-1)!.beside!;
  const items =
    before?.rewrites === beside.rewrites ? before.items : (rows.slice(0, -1) as ItemRecord[]).map(toItem);
  known.keep(sessionId, { rewrites: beside.rewrites, items });
  return { items, ...toBeside(beside) };
}

function toItem(row: ItemRecord): LcmItem {
  return { ...toHead(row), ordinal: row.ordinal };
}

/** To be selected from `lcm_compaction_debt d`. */
export const debtJson =
  sql.raw(`jsonb_build_object('pending', d.pending, 'running', d.running, 'reason', d.reason,
  'requestedAt', d.requested_at, 'startedAt', d.started_at, 'finishedAt', d.finished_at, 'dueAt', d.due_at,
  'lastFailure', d.last_failure, 'budgetTokens', d.budget_tokens, 'currentTokens', d.current_tokens,
  'projectedTokens', d.projected_tokens, 'rawTokensOutsideTail', d.raw_tokens_outside_tail,
  'thresholdTokens', d.threshold_tokens, 'thresholdSource', d.threshold_source, 'retryAttempts', d.retry_attempts,
  'nextAttemptAfter', d.next_attempt_after, 'resolutionReason', d.resolution_reason, 'revision', d.revision)`);

function toBeside(beside: Beside): Omit<LcmState, 'items'> {
  return {
    boundarySeq: beside.boundarySeq,
    telemetry: beside.telemetry.map((row) => withMoments(row, ['lastReadAt', 'lastWriteAt', 'lastBreakAt'])),
    debt: toDebt(beside.debt),
    breakers: beside.breakers.map((row) => withMoments(row, ['openUntil'])),
    spend: beside.spend === null ? null : withMoments(beside.spend, ['windowStartedAt', 'backoffUntil']),
    now: new Date(beside.now),
  };
}

export function toDebt(debt: Stored<LcmDebt> | null): LcmDebt | null {
  if (debt === null) return null;
  return withMoments(debt, ['requestedAt', 'startedAt', 'finishedAt', 'dueAt', 'nextAttemptAfter']);
}

function withMoments<Value extends object>(row: Stored<Value>, keys: readonly (keyof Value)[]): Value {
  const moments = keys.map((key) => [key, row[key] === null ? null : new Date(row[key] as string)] as const);
  return { ...(row as unknown as Value), ...(Object.fromEntries(moments) as Partial<Value>) };
}

export async function summariesById(executor: Executor, sessionId: string, ids: readonly string[]) {
  if (ids.length === 0) return [];
  const rows = await run<SummaryRecord>(
    executor,
    sql`SELECT ${summaryColumns} FROM lcm_summaries s
        WHERE s.session_id = ${sessionId} AND s.id = ANY(${sql.param([...ids])}::text[])`,
    'lcm_summaries',
  );
  return rows.map(toSummary);
}

export async function heads(db: Database, sessionId: string) {
  const rows = await run<HeadRecord>(
    db,
    sql`SELECT ${headColumns} FROM lcm_summaries s WHERE s.session_id = ${sessionId}
        ORDER BY s.depth DESC, s.latest_at DESC, s.id`,
    'lcm_heads',
  );
  return rows.map(toHead);
}
