/** dcp_*: one change of the model-guided engine's state. */
import {
  cleanDeep,
  StateOutdated,
  raisesDcpVersion,
  type DcpChange,
  type DcpCounter,
} from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { run, runOne, together, type Transaction } from '../database.ts';
import { toRecord } from './block-record.ts';
import { refuseNewer, stateFormat } from './load-state.ts';

/** `compactionId`: the ledger row of the plan that the change came with. */
export interface DcpWriteOrigin {
  sessionId: string;
  compactionId: number | null;
}

/**
 * Write a change inside a transaction that holds the session row's lock.
 * throws  plan_outdated when the change was made on another version or on refs that moved on, schema_too_new when a newer
 *         program wrote the state. The transaction must then be rolled back.
 */
export async function writeDcp(tx: Transaction, origin: DcpWriteOrigin, change: DcpChange): Promise<void> {
  const clean = cleanDeep(change);
  const statements = [
    () => moveSession(tx, origin.sessionId, clean),
    () => resetRows(tx, origin.sessionId, clean),
    () => writeRefs(tx, origin.sessionId, clean.refs ?? []),
    () => writeBlocks(tx, origin, clean.blocks ?? []),
    () => writeStatuses(tx, origin.sessionId, clean.statuses ?? []),
    () => writeMarks(tx, origin.sessionId, clean.marks ?? []),
    () => writeDcpEvents(tx, origin.sessionId, clean.events ?? []),
    () => raiseRevision(tx, origin.sessionId, clean),
  ];
  // The first one refuses a stale writer; its error is the one that is told.
  await together(() => statements.map((send) => send()));
}

interface MovedRecord {
  moved: number | null;
  version: number | null;
  format: number | null;
  next_ref: number | null;
}

/** One statement also tells what stood there: after a refusal the statements behind it may have broken the transaction. */
async function moveSession(tx: Transaction, sessionId: string, change: DcpChange): Promise<void> {
  const row = await runOne<MovedRecord>(
    tx,
    sql`WITH moved AS (${upsert(sessionId, change)})
        SELECT (SELECT version FROM moved) AS moved, e.version, e.format, e.next_ref
        FROM (SELECT 1) one LEFT JOIN dcp_session e ON e.session_id = ${sessionId}`,
    'dcp_move_session',
  );
  if (row !== null && row.moved !== null) return;
  refuseNewer(sessionId, row?.format ?? 0);
  const seen =
    row?.version == null ? 'there is no state' : `there is version ${row.version}, next ref ${row.next_ref}`;
  throw new StateOutdated(sessionId, 'dcp', `version ${change.baseVersion}, ${seen}`);
}

function upsert(sessionId: string, change: DcpChange): SQL {
  const next = nextNumbers(change);
  const counts = countsOf(change);
  const firstRef = change.refs?.[0]?.number ?? null;
  const rise = raisesDcpVersion(change) ? 1 : 0;
  const generationRise = change.reset ? 1 : 0;
  return sql`INSERT INTO dcp_session AS s (session_id, format, version, generation, next_ref, next_block, next_run, manual_mode,
      pending_grant, nudge, hygiene, compress_calls, compress_failures, nudges, hygiene_blocks, emergencies, sweeps)
    SELECT ${sessionId}::text, ${stateFormat}::smallint, ${rise}::bigint, ${generationRise}::int,
      greatest(1, ${next.ref}::bigint), greatest(1, ${next.block}::bigint), greatest(1, ${next.run}::bigint),
      coalesce(${change.manualMode ?? null}::boolean, false), ${jsonOrNull(change.grant)}::jsonb,
      ${jsonOrNull(change.nudge)}::jsonb, ${jsonOrNull(change.hygiene)}::jsonb, ${counts.compressCalls}::int,
      ${counts.compressFailures}::int, ${counts.nudges}::int, ${counts.hygieneBlocks}::int, ${counts.emergencies}::int,
      ${counts.sweeps}::int
    WHERE (${change.baseVersion}::bigint = 0 AND coalesce(${firstRef}::bigint, 1) = 1)
      OR EXISTS (SELECT 1 FROM dcp_session e WHERE e.session_id = ${sessionId}::text)
    ON CONFLICT (session_id) DO UPDATE SET version = s.version + ${rise}::bigint,
      generation = s.generation + ${generationRise}::int, next_ref = greatest(s.next_ref, ${next.ref}::bigint),
      next_block = greatest(s.next_block, ${next.block}::bigint), next_run = greatest(s.next_run, ${next.run}::bigint),
      manual_mode = coalesce(${change.manualMode ?? null}::boolean, s.manual_mode),
      pending_grant = CASE WHEN ${change.grant !== undefined}::boolean THEN ${jsonOrNull(change.grant)}::jsonb ELSE s.pending_grant END,
      nudge = coalesce(${jsonOrNull(change.nudge)}::jsonb, s.nudge),
      hygiene = coalesce(${jsonOrNull(change.hygiene)}::jsonb, s.hygiene),
      compress_calls = s.compress_calls + EXCLUDED.compress_calls,
      compress_failures = s.compress_failures + EXCLUDED.compress_failures, nudges = s.nudges + EXCLUDED.nudges,
      hygiene_blocks = s.hygiene_blocks + EXCLUDED.hygiene_blocks, emergencies = s.emergencies + EXCLUDED.emergencies,
      sweeps = s.sweeps + EXCLUDED.sweeps, updated_at = now()
    WHERE s.version = ${change.baseVersion}::bigint AND s.format <= ${stateFormat}::smallint
      AND coalesce(${firstRef}::bigint, s.next_ref) = s.next_ref
    RETURNING s.version`;
}

/** The numbers that come next after a change; 0 where it gives none. */
function nextNumbers({ refs = [], blocks = [], marks = [] }: DcpChange): {
  ref: number;
  block: number;
  run: number;
} {
  const after = (numbers: readonly number[]): number =>
    numbers.reduce((most, number) => Math.max(most, number + 1), 0);
  return {
    ref: after(refs.map((ref) => ref.number)),
    block: after(blocks.map((block) => block.number)),
    run: after([...blocks, ...marks].map((entry) => entry.run)),
  };
}

function countsOf({ counts }: DcpChange): Record<DcpCounter, number> {
  const none = {
    compressCalls: 0,
    compressFailures: 0,
    nudges: 0,
    hygieneBlocks: 0,
    emergencies: 0,
    sweeps: 0,
  };
  return { ...none, ...counts };
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

async function resetRows(tx: Transaction, sessionId: string, change: DcpChange): Promise<void> {
  if (!change.reset) return;
  await together(() => [
    run(tx, sql`DELETE FROM dcp_ref WHERE session_id = ${sessionId}`, 'dcp_reset_refs'),
    run(tx, sql`DELETE FROM dcp_mark WHERE session_id = ${sessionId}`, 'dcp_reset_marks'),
    run(
      tx,
      sql`UPDATE dcp_block SET status = 'reset' WHERE session_id = ${sessionId} AND status <> 'reset'`,
      'dcp_reset_blocks',
    ),
  ]);
}

async function writeRefs(
  tx: Transaction,
  sessionId: string,
  refs: NonNullable<DcpChange['refs']>,
): Promise<void> {
  if (refs.length === 0) return;
  await run(
    tx,
    sql`INSERT INTO dcp_ref (session_id, number, unit_id) SELECT ${sessionId}, r.number, r.unit_id
        FROM unnest(${sql.param(refs.map((ref) => ref.number))}::bigint[], ${sql.param(refs.map((ref) => ref.unitId))}::bigint[])
          AS r(number, unit_id)`,
    'dcp_write_refs',
  );
}

async function writeBlocks(
  tx: Transaction,
  { sessionId, compactionId }: DcpWriteOrigin,
  blocks: NonNullable<DcpChange['blocks']>,
): Promise<void> {
  if (blocks.length === 0) return;
  await run(
    tx,
    sql`INSERT INTO dcp_block (session_id, compaction_id, number, run, author, mode, topic, batch_topic, body, ref_blocks,
          start_ref, end_ref, anchor_unit, unit_ids, consumed, origin_turn_id, origin_call_id, origin_hash, status, raw_tokens,
          summary_tokens, duration_ms)
        SELECT ${sessionId}, ${compactionId}::bigint, r.* FROM jsonb_to_recordset(${JSON.stringify(blocks.map(toRecord))}::jsonb)
          AS r(number bigint, run bigint, author text, mode text, topic text, batch_topic text, body text, ref_blocks bigint[],
            start_ref text, end_ref text, anchor_unit bigint, unit_ids bigint[], consumed bigint[], origin_turn_id text,
            origin_call_id text, origin_hash text, status text, raw_tokens int, summary_tokens int, duration_ms int)`,
    'dcp_write_blocks',
  );
}

async function writeStatuses(
  tx: Transaction,
  sessionId: string,
  statuses: NonNullable<DcpChange['statuses']>,
): Promise<void> {
  if (statuses.length === 0) return;
  await run(
    tx,
    sql`UPDATE dcp_block b SET status = r.status FROM jsonb_to_recordset(${JSON.stringify(statuses)}::jsonb)
          AS r(block bigint, status text) WHERE b.session_id = ${sessionId} AND b.number = r.block`,
    'dcp_write_statuses',
  );
}

async function writeMarks(
  tx: Transaction,
  sessionId: string,
  marks: NonNullable<DcpChange['marks']>,
): Promise<void> {
  if (marks.length === 0) return;
  await run(
    tx,
    sql`INSERT INTO dcp_mark (session_id, unit_id, call_id, reason, run, tokens)
        SELECT ${sessionId}, r."unitId", r."callId", r.reason, r.run, r.tokens
        FROM jsonb_to_recordset(${JSON.stringify(marks)}::jsonb)
          AS r("unitId" bigint, "callId" text, reason text, run bigint, tokens int)
        ON CONFLICT (session_id, unit_id, call_id) DO NOTHING`,
    'dcp_write_marks',
  );
}

/** Lines for operators. */
export async function writeDcpEvents(
  tx: Transaction,
  sessionId: string,
  events: NonNullable<DcpChange['events']>,
): Promise<void> {
  if (events.length === 0) return;
  await run(
    tx,
    sql`INSERT INTO dcp_event (session_id, kind, detail) SELECT ${sessionId}, r.kind, r.detail
        FROM jsonb_to_recordset(${JSON.stringify(events)}::jsonb) AS r(kind text, detail jsonb)`,
    'dcp_write_events',
  );
}

/** Refs and the cadence of nudges are no change of what the prompt says. */
async function raiseRevision(tx: Transaction, sessionId: string, change: DcpChange): Promise<void> {
  if (!raisesDcpVersion(change)) return;
  await run(tx, sql`UPDATE sessions SET revision = revision + 1 WHERE id = ${sessionId}`, 'raise_revision');
}
