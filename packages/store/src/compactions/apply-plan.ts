/** The one transaction that changes a transcript: rows archived, rows written, everything that speaks of it. */
import {
  type CompactionPlan,
  GatewayError,
  type Lease,
  type MessageRow,
  type NewReply,
  PlanOutdated,
  type SessionCompressEvent,
} from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { type Database, run, runOne, together, transaction, type Transaction } from '../database.ts';
import type { SessionRecord } from '../session-row.ts';
import { checkLease, lockSession } from '../with-lease.ts';
import { writeEngineStates } from '../write-engine-state.ts';
import { tell } from '../write-events.ts';
import { writeReplies } from '../write-replies.ts';
import { messagesDeferred } from './messages-deferred.ts';
import { placeRows } from './place-rows.ts';
import { readGround } from './read-ground.ts';
import { restAfterPlan, writeRest } from './rest-session.ts';
import { writeDerivedRows } from './write-derived-rows.ts';

export interface PlanToApply {
  compactionId: number;
  plan: CompactionPlan;
  replies: readonly NewReply[];
}

/** The session whose rows change, under this epoch. */
type ChangedSession = Pick<SessionRecord, 'id' | 'epoch'>;

/**
 * Apply a plan inside a transaction that holds the session row's lock (withLease); for a plan that comes with a tool round.
 * Nothing is deleted and no row's text is touched.
 *
 *   live rows checked → seqs found → rows archived → rows written → engine state → session → ledger and event → replies
 *
 * returns  the written rows in seq order
 * throws   PlanOutdated; no_seq when a gap is full; row_missing for an unknown ledger row. The transaction must then be
 *          rolled back.
 */
export async function applyPlan(
  tx: Transaction,
  session: SessionRecord,
  input: PlanToApply,
): Promise<readonly MessageRow[]> {
  const { compactionId, plan } = input;
  if (plan.write.length === 0) {
    await together(() => archiveOnly(tx, session, input));
    return [];
  }
  const { seqs } = await findPlaces(tx, session, plan);
  await archiveRows(tx, session.id, { compactionId, rowIds: plan.archive });
  const written = await writeDerivedRows(
    tx,
    session.id,
    plan.write.map((row, index) => ({ row, seq: seqs[index] ?? 0 })),
  );
  await closeApplied(tx, session, { ...input, written });
  return written;
}

/** `applyPlan` in a transaction of its own; throws also LeaseLost. */
export function applyUnderLease(
  db: Database,
  lease: Lease,
  input: PlanToApply,
): Promise<readonly MessageRow[]> {
  return transaction(db, async (tx) => {
    if (input.plan.write.length > 0) return applyPlan(tx, await lockSession(tx, lease), input);
    await together(() => [
      checkLease(tx, lease),
      ...archiveOnly(tx, { id: lease.sessionId, epoch: lease.epoch }, input),
    ]);
    return [];
  });
}

/** Nothing needs a place, so nothing is read before: that the rows are live shows when they are archived. */
function archiveOnly(tx: Transaction, session: ChangedSession, input: PlanToApply) {
  const { compactionId, plan } = input;
  return [
    archiveRows(tx, session.id, { compactionId, rowIds: plan.archive }),
    closeApplied(tx, session, { ...input, written: [] }),
  ] as const;
}

/**
 * Check that the plan's rows are live and find one seq a row to write. throws PlanOutdated, no_seq
 * returns  `kept`: seqs of the rows that stay live, ascending
 */
export async function findPlaces(
  tx: Transaction,
  session: SessionRecord,
  plan: CompactionPlan,
): Promise<{ seqs: readonly number[]; kept: readonly number[] }> {
  const ground = await readGround(tx, session, plan);
  const seqs = placeRows(
    plan.write.map((row) => row.place),
    ground,
  );
  if (seqs === null) throw noSeq(session.id, plan);
  return { seqs, kept: ground.kept };
}

/**
 * Everything that speaks of a compaction whose rows are written: engine state → session → ledger and event → replies.
 *
 * oldSessionId  where the conversation was before, for one that goes on in another session
 */
export async function closeApplied(
  tx: Transaction,
  session: ChangedSession,
  input: AppliedPlan,
): Promise<void> {
  const { compactionId, plan, replies } = input;
  const states = plan.state ? [plan.state] : [];
  await together(() => [
    writeEngineStates(tx, { sessionId: session.id, compactionId }, states),
    writeRest(tx, session.id, { ...restAfterPlan(plan), changed: countOf(plan) }),
    closeLedgerRow(tx, session, input),
    writeReplies(tx, session.id, replies),
  ]);
  tx.notices.add([{ kind: 'compaction', sessionId: session.id }]);
}

interface AppliedPlan extends PlanToApply {
  written: readonly MessageRow[];
  oldSessionId?: string;
}

function noSeq(sessionId: string, plan: CompactionPlan): GatewayError {
  return new GatewayError(
    'no_seq',
    `no free place between two rows of session ${sessionId} for the ${plan.write.length} rows of a plan; ` +
      'the transcript stays as it is, a later plan over more rows finds room',
  );
}

/**
 * Take live rows out of the prompt; they stay searchable, and the ledger keeps where they lay. Throws PlanOutdated where
 * one is no longer live.
 */
export async function archiveRows(
  tx: Transaction,
  sessionId: string,
  archived: { compactionId: number; rowIds: readonly number[] },
): Promise<void> {
  const { compactionId, rowIds } = archived;
  if (rowIds.length === 0) return;
  const gone = await runOne<{ count: number }>(
    tx,
    sql`WITH gone AS (
          UPDATE messages SET active = 0, compacted = 1, archived_by = ${compactionId}::bigint
          WHERE session_id = ${sessionId} AND id = ANY(${sql.param([...rowIds])}::bigint[]) AND active = 1
          RETURNING id, seq, kind),
        noted AS (
          UPDATE compactions k SET archive_first_seq = range.first, archive_last_seq = range.last, previous_summary_id = range.summary
          FROM (SELECT min(seq) AS first, max(seq) AS last, max(id) FILTER (WHERE kind = 'summary') AS summary FROM gone) range
          WHERE k.session_id = ${sessionId} AND k.id = ${compactionId}::bigint)
        SELECT count(*)::int AS count FROM gone`,
    'archive_rows',
  );
  const missing = new Set(rowIds).size - (gone?.count ?? 0);
  if (missing > 0) throw new PlanOutdated(sessionId, missing);
}

/** The last real prompt count is void, and rows may have come between those that were there. */
function countOf({ systemNote }: CompactionPlan): SQL {
  return sql`last_prompt_tokens = -1, revision = revision + 1, rewrites = rewrites + 1,
    compaction_count = compaction_count + 1, rest_after_seq = NULL,
    system_note = coalesce(system_note, ${systemNote ?? null}::text), updated_at = now()`;
}

/** Content-free: which model failed before the one that wrote the summary. */
function messageOf({ auxiliaryFailure, summaryModel }: CompactionPlan): string | null {
  if (!auxiliaryFailure) return null;
  const { model, reason } = auxiliaryFailure;
  return `the summary model ${model} failed (${reason}); ${summaryModel ?? 'the main model'} wrote the summary`;
}

/** The session's count is that with this compaction by then. */
async function closeLedgerRow(tx: Transaction, session: ChangedSession, input: AppliedPlan): Promise<void> {
  const { compactionId, plan } = input;
  const closed = await run(
    tx,
    sql`WITH closed AS (
        UPDATE compactions SET outcome = ${plan.outcome}, reason = ${plan.reason}, summary_model = ${plan.summaryModel}, message = ${messageOf(plan)},
          summary_calls = ${plan.figures.summaryCalls}::int, figures = ${JSON.stringify(plan.figures)}::jsonb,
          details = ${plan.sweep ? JSON.stringify(plan.sweep) : null}::jsonb,
          epoch_after = ${session.epoch}::bigint, written_rows = ${sql.param(input.written.map((row) => row.id))}::bigint[],
          user_notified = ${input.replies.length > 0}::boolean, messages_deferred = ${messagesDeferred}, finished_at = clock_timestamp(),
          duration_ms = least(extract(epoch FROM clock_timestamp() - started_at) * 1000, 2147483647)::int
        WHERE session_id = ${session.id} AND id = ${compactionId}::bigint
        RETURNING session_id, engine, layer, trigger),
      ${tell(sql`SELECT s.id, 'session:compress', ${JSON.stringify(compressEvent(session, input))}::jsonb || jsonb_build_object(
          'platform', s.platform, 'compactionCount', s.compaction_count, 'engine', k.engine, 'layer', k.layer, 'trigger', k.trigger)
        FROM closed k JOIN sessions s ON s.id = k.session_id`)}
      SELECT FROM closed`,
    'close_applied',
  );
  if (closed.length > 0) return;
  throw new GatewayError(
    'row_missing',
    `session ${session.id} has no ledger row ${compactionId}; open one before a plan is applied`,
  );
}

/** What the session's row and the ledger's do not know themselves. */
function compressEvent(
  session: ChangedSession,
  { compactionId, plan, oldSessionId }: AppliedPlan,
): Omit<SessionCompressEvent, 'platform' | 'compactionCount' | 'engine' | 'layer' | 'trigger'> {
  return {
    type: 'session:compress',
    sessionId: session.id,
    oldSessionId: oldSessionId ?? '',
    inPlace: oldSessionId === undefined,
    outcome: plan.outcome,
    compactionId,
    figures: plan.figures,
  };
}
