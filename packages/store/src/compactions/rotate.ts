/** Compaction in rotation mode: the conversation goes on in a child session, which begins with what stays in the prompt. */
import type { Lease, MessageRow, Rotated } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { lockChatsOf, pointChats } from '../chats-of-session.ts';
import { newSessionId } from '../create-session.ts';
import { type Database, run, runOne, transaction, type Transaction } from '../database.ts';
import { sessionColumns, type SessionRecord, toSession } from '../session-row.ts';
import { lockSession } from '../with-lease.ts';
import { writeEvents } from '../write-events.ts';
import { archiveRows, closeApplied, findPlaces, type PlanToApply } from './apply-plan.ts';
import { childTitle } from './child-title.ts';
import { seqGap } from './place-rows.ts';
import { type PlacedRow, writeDerivedRows } from './write-derived-rows.ts';

/** The child's first claim is ours. */
const firstEpoch = 1;

/**
 * One transaction: child session with our lease → copies of the kept rows and the planned ones → all rows of the parent
 * archived → chats, waiting mail, signals and the running turn moved → ledger, event, replies, all of the child.
 *
 * throws  LeaseLost, PlanOutdated, no_seq, row_missing; then nothing was written
 */
export function rotate(db: Database, lease: Lease, input: PlanToApply): Promise<Rotated> {
  return transaction(db, async (tx) => {
    await lockChatsOf(tx, lease.sessionId);
    const parent = await lockSession(tx, lease);
    const places = await findPlaces(tx, parent, input.plan);
    const childId = await openChild(tx, parent);
    const written = await fillChild(tx, { parentId: parent.id, childId }, { ...places, plan: input.plan });
    await archiveLive(tx, parent.id, input.compactionId);
    await moveAlong(tx, parent.id, childId);
    await moveLedgerRow(tx, { parentId: parent.id, childId }, input.compactionId);
    const child = { ...parent, id: childId, epoch: firstEpoch };
    await closeApplied(tx, child, { ...input, written, oldSessionId: parent.id });
    await writeEvents(tx, [
      {
        type: 'session:end',
        sessionId: parent.id,
        platform: parent.platform,
        reason: 'compression',
        nextSessionId: childId,
      },
    ]);
    tx.notices.add([{ kind: 'compaction', sessionId: parent.id }]);
    return {
      lease: { sessionId: childId, epoch: firstEpoch, owner: lease.owner },
      session: toSession(await readChild(tx, childId)),
    };
  });
}

interface Pair {
  parentId: string;
  childId: string;
}

/**
 * Whatever the parent knows, its lease and system prompt included, holds for the child too; only what is named here begins
 * anew. The parent keeps its lease until its holder has learned of the child: a renewal in between must not look like a
 * lost lease.
 */
async function openChild(tx: Transaction, parent: SessionRecord): Promise<string> {
  const child = await runOne<{ id: string }>(
    tx,
    sql`INSERT INTO sessions SELECT (jsonb_populate_record(p, jsonb_build_object(
        'id', ${newSessionId}, 'title', ${childTitle(parent.title)}::text, 'parent_session_id', p.id,
        'epoch', ${firstEpoch}::bigint, 'revision', 0, 'last_output_tokens', 0, 'last_priced_seq', 0,
        'rest_after_seq', NULL, 'idle_checked_at', NULL, 'preparing_until', NULL,
        'created_at', now(), 'updated_at', now()))).*
      FROM sessions p WHERE p.id = ${parent.id} RETURNING id`,
    'open_child',
  );
  const { id } = child as { id: string };
  await run(
    tx,
    sql`INSERT INTO engine_state (session_id, engine, revision, state)
      SELECT ${id}::text, engine, revision, state FROM engine_state WHERE session_id = ${parent.id}`,
    'inherit_engine_state',
  );
  return id;
}

interface Filling extends Pick<PlanToApply, 'plan'> {
  seqs: readonly number[];
  kept: readonly number[];
}

/** Kept and planned rows in the order they would have had in the parent, in gaps of their own. Gives the planned ones. */
async function fillChild(tx: Transaction, pair: Pair, filling: Filling): Promise<readonly MessageRow[]> {
  const { seqs, kept, plan } = filling;
  const order = [...kept, ...seqs].sort((a, b) => a - b);
  const seqOf = new Map(order.map((seq, index) => [seq, (index + 1) * seqGap]));
  await copyKept(tx, pair, new Map(kept.map((seq) => [seq, seqOf.get(seq)!])));
  const placed: PlacedRow[] = plan.write.map((row, index) => ({ row, seq: seqOf.get(seqs[index]!)! }));
  const written = await writeDerivedRows(tx, pair.childId, placed);
  await run(
    tx,
    sql`UPDATE sessions SET next_seq = ${(order.length + 1) * seqGap}::bigint WHERE id = ${pair.childId}`,
    'raise_child_seq',
  );
  return written;
}

/** Derived rows: each names the parent's row that it stands for and carries no turn, step or part. */
async function copyKept(tx: Transaction, pair: Pair, seqs: ReadonlyMap<number, number>): Promise<void> {
  await run(
    tx,
    sql`INSERT INTO messages (session_id, seq, role, kind, sender_id, sender_name, sent_at, parts, tool_call_id,
        tool_call_ids, tokens, replaces, platform_message_id)
      SELECT ${pair.childId}::text, u.new_seq, m.role, m.kind, m.sender_id, m.sender_name, m.sent_at, m.parts,
        m.tool_call_id, m.tool_call_ids, m.tokens, m.id, m.platform_message_id
      FROM unnest(${sql.param([...seqs.keys()])}::bigint[], ${sql.param([...seqs.values()])}::bigint[]) AS u(old_seq, new_seq)
      JOIN messages m ON m.session_id = ${pair.parentId} AND m.seq = u.old_seq
      ORDER BY u.new_seq`,
    'copy_kept',
  );
}

async function archiveLive(tx: Transaction, parentId: string, compactionId: number): Promise<void> {
  const live = await run<{ id: number }>(
    tx,
    sql`SELECT m.id FROM messages m WHERE m.session_id = ${parentId} AND m.active = 1`,
    'live_ids',
  );
  await archiveRows(tx, parentId, { compactionId, rowIds: live.map((row) => row.id) });
}

/** What points at the session and is not over yet. */
async function moveAlong(tx: Transaction, parentId: string, childId: string): Promise<void> {
  await pointChats(tx, parentId, childId);
  const to = sql`SET session_id = ${childId} WHERE session_id = ${parentId}`;
  const statements = [
    sql`UPDATE mailbox ${to} AND state IN ('pending', 'claimed')`,
    sql`UPDATE turns ${to} AND state = 'running'`,
    sql`UPDATE turn_progress ${to}`,
    sql`UPDATE outbox_parts ${to} AND reply_id IN (SELECT id FROM outbox WHERE session_id = ${parentId} AND state = 'open')`,
    sql`UPDATE outbox ${to} AND state = 'open'`,
    sql`UPDATE signals ${to}`,
    sql`DELETE FROM prepared_compactions WHERE session_id = ${parentId}`,
    sql`UPDATE sessions SET closed_at = now(), updated_at = now(), revision = revision + 1 WHERE id = ${parentId}`,
  ];
  for (const statement of statements) await run(tx, statement);
}

/** The ledger speaks of it where the conversation goes on. */
async function moveLedgerRow(tx: Transaction, pair: Pair, compactionId: number): Promise<void> {
  await run(
    tx,
    sql`UPDATE compactions SET session_id = ${pair.childId}, in_place = false, old_session_id = ${pair.parentId}
      WHERE session_id = ${pair.parentId} AND id = ${compactionId}::bigint`,
    'move_ledger_row',
  );
}

async function readChild(tx: Transaction, childId: string): Promise<SessionRecord> {
  const row = await runOne<SessionRecord>(
    tx,
    sql`SELECT ${sessionColumns} FROM sessions WHERE id = ${childId}`,
    'read_session',
  );
  return row as SessionRecord;
}
