/** compactions as operators read them. */
import type {
  CompactionFigures,
  CompressMode,
  Layer,
  LedgerRow,
  Outcome,
  Part,
  Reason,
  SweepFigures,
  Trigger,
} from '@palimpsest/core';
import { textOfParts } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';

interface LedgerRecord {
  id: number;
  session_id: string;
  engine: string;
  epoch_before: number;
  epoch_after: number | null;
  in_place: boolean;
  old_session_id: string;
  undone_by: number | null;
  layer: Layer;
  trigger: Trigger;
  outcome: Outcome | null;
  reason: Reason;
  strategy: CompressMode | null;
  window_tokens: number;
  window_source: string;
  threshold_raw: number;
  trigger_tokens: number;
  main_model: string;
  summary_model: string | null;
  started_at: Date;
  finished_at: Date | null;
  duration_ms: number | null;
  message: string | null;
  figures: CompactionFigures | null;
  sweep: SweepFigures | null;
  tokens_after_confirmed: number | null;
  cache_share_before: number | null;
  cache_share_after: number | null;
  messages_deferred: number | null;
  archive_first_seq: number | null;
  archive_last_seq: number | null;
  previous_summary_id: number | null;
  written_rows: number[] | null;
  user_notified: boolean;
  summary_parts: Part[] | null;
}

/** Newest first; of one session with the text of the summary each wrote, pages by `beforeId`. */
export async function readLedger(
  db: Database,
  options: { sessionId?: string; limit: number; beforeId?: number },
): Promise<readonly LedgerRow[]> {
  const { sessionId, beforeId } = options;
  const conditions = [sql`true`];
  if (sessionId !== undefined) conditions.push(sql`k.session_id = ${sessionId}`);
  if (beforeId !== undefined) conditions.push(sql`k.id < ${beforeId}::bigint`);
  const summary = sql`(SELECT m.parts FROM messages m
    WHERE m.session_id = k.session_id AND m.id = ANY(k.written_rows) AND m.kind = 'summary' ORDER BY m.seq LIMIT 1)`;
  const records = await run<LedgerRecord>(
    db,
    sql`SELECT k.id, k.session_id, k.engine, k.epoch_before, k.epoch_after, k.in_place, k.old_session_id, k.undone_by, k.layer,
        k.trigger, k.outcome, k.reason, k.strategy, k.window_tokens, k.window_source, k.threshold_raw, k.cache_share_before,
        k.cache_share_after, k.messages_deferred, k.archive_first_seq, k.archive_last_seq, k.previous_summary_id, k.written_rows,
        k.user_notified, k.trigger_tokens, k.main_model, k.summary_model, k.started_at, k.finished_at, k.duration_ms, k.message, k.figures,
        CASE WHEN k.details -> 'leaves' IS NOT NULL THEN k.details END AS sweep, k.tokens_after_confirmed, ${sessionId === undefined ? sql`NULL::jsonb` : summary} AS summary_parts
      FROM compactions k WHERE ${sql.join(conditions, sql` AND `)}
      ORDER BY k.id DESC LIMIT ${options.limit}::int`,
  );
  return records.map((record) => toLedgerRow(record, sessionId !== undefined));
}

function toLedgerRow(record: LedgerRecord, withSummary: boolean): LedgerRow {
  return {
    id: record.id,
    sessionId: record.session_id,
    engine: record.engine,
    epochBefore: record.epoch_before,
    epochAfter: record.epoch_after,
    inPlace: record.in_place,
    ...(record.old_session_id === '' ? {} : { oldSessionId: record.old_session_id }),
    ...(record.undone_by === null ? {} : { undoneBy: record.undone_by }),
    layer: record.layer,
    trigger: record.trigger,
    outcome: record.outcome,
    reason: record.reason,
    strategy: record.strategy,
    windowTokens: record.window_tokens,
    windowSource: record.window_source,
    thresholdRaw: record.threshold_raw,
    triggerTokens: record.trigger_tokens,
    mainModel: record.main_model,
    summaryModel: record.summary_model,
    startedAt: record.started_at,
    finishedAt: record.finished_at,
    durationMs: record.duration_ms,
    ...(record.message === null ? {} : { message: record.message }),
    figures: record.figures,
    ...(record.sweep === null ? {} : { sweep: record.sweep }),
    tokensAfterConfirmed: record.tokens_after_confirmed,
    cacheShareBefore: record.cache_share_before,
    cacheShareAfter: record.cache_share_after,
    messagesDeferred: record.messages_deferred,
    archivedSeqs: archivedSeqs(record),
    previousSummaryId: record.previous_summary_id,
    writtenRows: record.written_rows ?? [],
    userNotified: record.user_notified,
    ...(withSummary
      ? { summaryText: record.summary_parts === null ? null : textOfParts(record.summary_parts) }
      : {}),
  };
}

function archivedSeqs({
  archive_first_seq: first,
  archive_last_seq: last,
}: LedgerRecord): LedgerRow['archivedSeqs'] {
  return first === null || last === null ? null : { first, last };
}
