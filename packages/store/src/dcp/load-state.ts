/** dcp_session, dcp_ref, dcp_block, dcp_mark: the whole state of a session. */
import {
  emptyDcpState,
  GatewayError,
  type DcpBlock,
  type DcpGrant,
  type DcpHygieneState,
  type DcpMark,
  type DcpNudgeState,
  type DcpRef,
  type DcpState,
} from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Executor, run, runOne, together } from '../database.ts';
import { blockColumns, type BlockRecord, toBlock } from './block-record.ts';

/** How rows are written by this program. */
export const stateFormat = 1;

interface StateRecord {
  format: number;
  version: number;
  generation: number;
  next_ref: number;
  next_block: number;
  next_run: number;
  manual_mode: boolean;
  pending_grant: DcpGrant | null;
  nudge: Partial<DcpNudgeState> | null;
  hygiene: Partial<DcpHygieneState> | null;
  compress_calls: number;
  compress_failures: number;
  nudges: number;
  hygiene_blocks: number;
  emergencies: number;
  sweeps: number;
}

/**
 * Four statements, sent behind each other. Blocks of before a rewrite of the transcript are left out.
 * executor   one connection (a transaction, or onOneConnection)
 * throws     schema_too_new when a newer program wrote it
 */
export async function loadState(executor: Executor, sessionId: string): Promise<DcpState> {
  const [session, refs, blocks, marks] = await together(() => [
    readSession(executor, sessionId),
    readRefs(executor, sessionId),
    readBlocks(executor, sessionId),
    readMarks(executor, sessionId),
  ]);
  if (session === null) return emptyDcpState();
  refuseNewer(sessionId, session.format);
  return toState(session, { refs, blocks, marks });
}

/** throws schema_too_new */
export function refuseNewer(sessionId: string, format: number): void {
  if (format <= stateFormat) return;
  throw new GatewayError(
    'schema_too_new',
    `the dcp state of session ${sessionId} has format ${format}, this program knows ${stateFormat}; it is left as it is, start the newer program`,
  );
}

function toState(
  session: StateRecord,
  {
    refs,
    blocks,
    marks,
  }: { refs: readonly DcpRef[]; blocks: readonly DcpBlock[]; marks: readonly DcpMark[] },
): DcpState {
  const empty = emptyDcpState();
  return {
    version: session.version,
    generation: session.generation,
    // Rows that came in by hand must never make a number come twice.
    nextRef: Math.max(session.next_ref, (refs.at(-1)?.number ?? 0) + 1),
    nextBlock: Math.max(session.next_block, (blocks.at(-1)?.number ?? 0) + 1),
    nextRun: session.next_run,
    refs: new Map(refs.map((ref) => [ref.unitId, ref.number])),
    blocks,
    marks,
    manualMode: session.manual_mode,
    grant: session.pending_grant,
    nudge: { ...empty.nudge, ...session.nudge },
    hygiene: { ...empty.hygiene, ...session.hygiene },
    counters: {
      compressCalls: session.compress_calls,
      compressFailures: session.compress_failures,
      nudges: session.nudges,
      hygieneBlocks: session.hygiene_blocks,
      emergencies: session.emergencies,
      sweeps: session.sweeps,
    },
  };
}

function readSession(executor: Executor, sessionId: string): Promise<StateRecord | null> {
  return runOne<StateRecord>(
    executor,
    sql`SELECT format, version, generation, next_ref, next_block, next_run, manual_mode, pending_grant, nudge, hygiene,
          compress_calls, compress_failures, nudges, hygiene_blocks, emergencies, sweeps
        FROM dcp_session WHERE session_id = ${sessionId}`,
    'dcp_session',
  );
}

/** Two arrays instead of a row each: a long session has thousands of refs. Ascending by number. */
async function readRefs(executor: Executor, sessionId: string): Promise<readonly DcpRef[]> {
  const row = await runOne<{ units: number[] | null; numbers: number[] | null }>(
    executor,
    sql`SELECT array_agg(unit_id ORDER BY number) AS units, array_agg(number ORDER BY number) AS numbers
        FROM dcp_ref WHERE session_id = ${sessionId}`,
    'dcp_refs',
  );
  return (row?.units ?? []).map((unitId, index) => ({ unitId, number: row!.numbers![index]! }));
}

/** Blocks that can still be shown, ascending by number. */
async function readBlocks(executor: Executor, sessionId: string): Promise<readonly DcpBlock[]> {
  const records = await run<BlockRecord>(
    executor,
    sql`SELECT ${blockColumns} FROM dcp_block b WHERE b.session_id = ${sessionId} AND b.status <> 'reset' ORDER BY b.number`,
    'dcp_blocks',
  );
  return records.map(toBlock);
}

function readMarks(executor: Executor, sessionId: string): Promise<DcpMark[]> {
  return run<DcpMark>(
    executor,
    sql`SELECT unit_id AS "unitId", call_id AS "callId", reason, run, tokens FROM dcp_mark
        WHERE session_id = ${sessionId} ORDER BY run, unit_id, call_id`,
    'dcp_marks',
  );
}
