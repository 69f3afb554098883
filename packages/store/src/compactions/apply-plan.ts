/** The one transaction that changes a transcript: rows archived, rows written, everything that speaks of it. */
import {
  type CompactionPlan,
  type Layer,
  GatewayError,
  type Lease,
  type MessageRow,
  type NewReply,
  PlanOutdated,
  type SessionCompressEvent,
  type Trigger,
} from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { lastly, run, runOne, together, type Transaction } from '../database.ts';
import type { SessionRecord } from '../session-row.ts';
import { lockSession, lockSessionByKeys } from '../with-lease.ts';
import { writeEngineStates } from '../write-engine-state.ts';
import { writeEvents } from '../write-events.ts';
import { writeReplies } from '../write-replies.ts';
import { messagesDeferred } from './messages-deferred.ts';
import { placeRows } from './place-rows.ts';
import { readGround } from './read-ground.ts';
import { restAfterPlan, writeRest } from './rest-session.ts';
import { writeDerivedRows } from './write-derived-rows.ts';

/** What the ledger row was opened with. */
export interface LedgerHead {
  engine: string;
  layer: Layer;
  trigger: Trigger;
}

export interface PlanToApply {
  compactionId: number;
  opened: LedgerHead;
  plan: CompactionPlan;
  replies: readonly NewReply[];
}

/** The session whose rows change, as its lock found it. */
type LockedSession = Pick<SessionRecord, 'id' | 'epoch' | 'platform' | 'compaction_count'>;

/**
 * Apply a plan inside a transaction that holds the session row's lock (withLease); for a plan that comes with a tool round.
 * Nothing is deleted and no row's text is touched.
 *
 *   live rows checked → seqs found → rows archived → rows written → engine state → session → ledger → event, replies
 *
 * returns  the written rows in seq order
 * throws   PlanOutdated; no_seq when a gap is full. The transaction must then be rolled back.
 */
export async function applyPlan(
  tx: Transaction,
  session: SessionRecord,
  input: PlanToApply,
): Promise<readonly MessageRow[]> {
  const written = await changeRows(tx, session, input);
  await closeApplied(tx, session, { ...input, written });
  return written;
}

/**
 * The same as a whole transaction, in as few trips to the database as it can be: what may turn out to be refused is sent
 * first, and COMMIT goes with what only tells of it. throws also LeaseLost, row_missing
 */
export async function applyAlone(
  tx: Transaction,
  lease: Lease,
  input: Omit<PlanToApply, 'opened'>,
): Promise<readonly MessageRow[]> {
  const { compactionId, plan } = input;
  const head = () => readLedgerHead(tx, lease.sessionId, compactionId);
  if (plan.write.length > 0) {
    const [session, opened] = await together(() => [lockSession(tx, lease), head()]);
    const written = await changeRows(tx, session, input);
    await settle(tx, session, { ...input, written });
    await lastly(tx, () => tell(tx, session, { ...input, opened }));
    return written;
  }
  // Nothing needs a place, so nothing is read before: that the lease holds and the rows are live shows when all is sent.
  const [session, opened] = await together(() => [
    lockSessionByKeys(tx, lease),
    head(),
    archiveRows(tx, lease.sessionId, { compactionId, rowIds: plan.archive }),
    settle(tx, { id: lease.sessionId, epoch: lease.epoch }, { ...input, written: [] }),
  ]);
  await lastly(tx, () => tell(tx, session, { ...input, opened }));
  return [];
}

/** Archive what the plan takes out and write what it puts there. */
async function changeRows(
  tx: Transaction,
  session: SessionRecord,
  { compactionId, plan }: Pick<PlanToApply, 'compactionId' | 'plan'>,
): Promise<readonly MessageRow[]> {
  const archived = { compactionId, rowIds: plan.archive };
  if (plan.write.length === 0) {
    await archiveRows(tx, session.id, archived);
    return [];
  }
  const { seqs } = await findPlaces(tx, session, plan);
  await archiveRows(tx, session.id, archived);
  return writeDerivedRows(
    tx,
    session.id,
    plan.write.map((row, index) => ({ row, seq: seqs[index] ?? 0 })),
  );
}

/** The ledger row of an attempt; throws row_missing. */
export async function readLedgerHead(
  tx: Transaction,
  sessionId: string,
  compactionId: number,
): Promise<LedgerHead> {
  const head = await runOne<LedgerHead>(
    tx,
    sql`SELECT engine, layer, trigger FROM compactions WHERE session_id = ${sessionId} AND id = ${compactionId}::bigint`,
    'ledger_head',
  );
  if (head !== null) return head;
  throw new GatewayError(
    'row_missing',
    `session ${sessionId} has no ledger row ${compactionId}; open one before a plan is applied`,
  );
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
 * Everything that speaks of a compaction whose rows are written: engine state → session → ledger → event, replies.
 *
 * oldSessionId  where the conversation was before, for one that goes on in another session
 */
export async function closeApplied(
  tx: Transaction,
  session: LockedSession,
  input: PlanToApply & { written: readonly MessageRow[]; oldSessionId?: string },
): Promise<void> {
  await together(() => [settle(tx, session, input), ...tell(tx, session, input)]);
}

type Settled = Omit<PlanToApply, 'opened'> & { written: readonly MessageRow[] };

/** Engine state → session → ledger. throws PlanOutdated, and what the engine's tables refuse */
async function settle(
  tx: Transaction,
  session: Pick<SessionRecord, 'id' | 'epoch'>,
  input: Settled,
): Promise<void> {
  const { compactionId, plan } = input;
  const states = plan.state ? [plan.state] : [];
  await together(() => [
    writeEngineStates(tx, { sessionId: session.id, compactionId }, states),
    writeRest(tx, session.id, { ...restAfterPlan(plan), changed: countOf(plan) }),
    closeLedgerRow(tx, session, input),
  ]);
}

/** Event and replies; what they say is certain by then, so they refuse nothing. */
function tell(tx: Transaction, session: LockedSession, input: PlanToApply & { oldSessionId?: string }) {
  const told = [
    writeEvents(tx, [compressEvent(session, input)]),
    writeReplies(tx, session.id, input.replies),
  ] as const;
  tx.notices.add([{ kind: 'compaction', sessionId: session.id }]);
  return told;
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

async function closeLedgerRow(
  tx: Transaction,
  session: Pick<SessionRecord, 'id' | 'epoch'>,
  input: Settled,
): Promise<void> {
  const { compactionId, plan } = input;
  await run(
    tx,
    sql`UPDATE compactions SET outcome = ${plan.outcome}, reason = ${plan.reason}, summary_model = ${plan.summaryModel}, message = ${messageOf(plan)},
        summary_calls = ${plan.figures.summaryCalls}::int, figures = ${JSON.stringify(plan.figures)}::jsonb,
        details = ${plan.sweep ? JSON.stringify(plan.sweep) : null}::jsonb,
        epoch_after = ${session.epoch}::bigint, written_rows = ${sql.param(input.written.map((row) => row.id))}::bigint[],
        user_notified = ${input.replies.length > 0}::boolean, messages_deferred = ${messagesDeferred}, finished_at = clock_timestamp(),
        duration_ms = least(extract(epoch FROM clock_timestamp() - started_at) * 1000, 2147483647)::int
      WHERE session_id = ${session.id} AND id = ${compactionId}::bigint`,
    'close_applied',
  );
}

function compressEvent(
  session: LockedSession,
  { compactionId, opened, plan, oldSessionId }: PlanToApply & { oldSessionId?: string },
): SessionCompressEvent {
  return {
    type: 'session:compress',
    sessionId: session.id,
    oldSessionId: oldSessionId ?? '',
    inPlace: oldSessionId === undefined,
    platform: session.platform,
    engine: opened.engine,
    layer: opened.layer,
    trigger: opened.trigger,
    outcome: plan.outcome,
    compactionId,
    compactionCount: session.compaction_count + 1,
    figures: plan.figures,
  };
}
