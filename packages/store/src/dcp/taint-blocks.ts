/** dcp_block: blocks whose messages a person deleted, edited or had erased. */
import type { DcpOrigin } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, together, type Transaction } from '../database.ts';
import { writeDcpEvents } from './write-dcp.ts';

export interface TaintOptions {
  sessionId: string;
  /** Rows that were deleted, edited or erased. */
  rowIds: readonly number[];
  /** For a request of privacy: the summaries' texts and topics go too. */
  erase: boolean;
}

export interface Tainted {
  /** Numbers, ascending. */
  blocks: readonly number[];
  /** The calls that wrote them: their arguments hold the summaries too, and what to do about that is the caller's. */
  origins: readonly Pick<DcpOrigin, 'turnId' | 'callId'>[];
}

interface TaintRecord {
  number: number;
  consumed: number[];
  status: string;
  is_hit: boolean;
  origin_turn_id: string | null;
  origin_call_id: string | null;
}

/**
 * Turn off every block that stands for one of the rows, itself or through a block it took in; it can never be turned on
 * again. What else such a block hid is shown raw again, and blocks it had taken in that are sound come back. Inside a
 * transaction that holds the session row's lock. Sessions of other engines: nothing happens.
 */
export async function taintBlocks(tx: Transaction, options: TaintOptions): Promise<Tainted> {
  const records = await readHits(tx, options);
  const hit = new Set<number>();
  // Ascending: what a block took in is older.
  for (const record of records)
    if (record.is_hit || record.consumed.some((inner) => hit.has(inner))) hit.add(record.number);
  const found = records.filter((record) => hit.has(record.number));
  const changed = options.erase ? found : found.filter(({ status }) => status !== 'tainted');
  if (changed.length > 0) await writeTaint(tx, options, changed);
  return { blocks: found.map((record) => record.number), origins: originsOf(found) };
}

/** A row is named by itself or, a tool result, by the assistant row that called. */
function readHits(tx: Transaction, { sessionId, rowIds }: TaintOptions): Promise<TaintRecord[]> {
  return run<TaintRecord>(
    tx,
    sql`WITH named AS (
          SELECT m.id, m.turn_id, m.step, m.tool_call_id FROM messages m
          WHERE m.session_id = ${sessionId} AND m.id = ANY(${sql.param([...rowIds])}::bigint[])),
        units AS (
          SELECT id FROM named UNION
          SELECT a.id FROM named n JOIN messages a ON a.session_id = ${sessionId} AND a.turn_id = n.turn_id
            AND a.step = n.step AND a.tool_call_ids @> ARRAY[n.tool_call_id])
        SELECT b.number, b.consumed, b.status, b.origin_turn_id, b.origin_call_id,
          EXISTS (SELECT 1 FROM units u WHERE u.id = ANY(b.unit_ids)) AS is_hit
        FROM dcp_block b WHERE b.session_id = ${sessionId} ORDER BY b.number`,
    'dcp_taint_hits',
  );
}

async function writeTaint(
  tx: Transaction,
  { sessionId, erase }: TaintOptions,
  changed: readonly TaintRecord[],
): Promise<void> {
  const numbers = changed.map((record) => record.number);
  const event = { kind: 'taint', detail: { blocks: numbers.map((number) => `b${number}`), erase } } as const;
  await together(() => [
    run(
      tx,
      sql`UPDATE dcp_block SET status = 'tainted', body = CASE WHEN ${erase}::boolean THEN '' ELSE body END,
            topic = CASE WHEN ${erase}::boolean THEN '' ELSE topic END,
            batch_topic = CASE WHEN ${erase}::boolean THEN NULL ELSE batch_topic END
          WHERE session_id = ${sessionId} AND number = ANY(${sql.param(numbers)}::bigint[])`,
      'dcp_taint',
    ),
    // It holds words of a person too.
    run(
      tx,
      sql`UPDATE dcp_session SET pending_grant = NULL WHERE session_id = ${sessionId} AND ${erase}::boolean`,
      'dcp_drop_grant',
    ),
    raiseDcpVersion(tx, sessionId),
    writeDcpEvents(tx, sessionId, [event]),
  ]);
}

function originsOf(records: readonly TaintRecord[]): Tainted['origins'] {
  const byKey = new Map<string, Pick<DcpOrigin, 'turnId' | 'callId'>>();
  for (const { origin_turn_id: turnId, origin_call_id: callId } of records)
    if (turnId !== null && callId !== null) byKey.set(`${turnId} ${callId}`, { turnId, callId });
  return [...byKey.values()];
}

/** Blocks changed outside a `DcpChange`: version and revision rise, so that a writer who did not see it is refused. */
export async function raiseDcpVersion(tx: Transaction, sessionId: string): Promise<void> {
  await together(() => [
    run(
      tx,
      sql`UPDATE dcp_session SET version = version + 1, updated_at = now() WHERE session_id = ${sessionId}`,
      'dcp_raise_version',
    ),
    run(tx, sql`UPDATE sessions SET revision = revision + 1 WHERE id = ${sessionId}`, 'raise_revision'),
  ]);
}
