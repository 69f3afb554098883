/** Begin a turn: its row, its mailbox rows claimed, the person's rows in the transcript; in the caller's transaction. */
import type { Lease, MailboxRow, NewRow, Turn } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, runOne, type Transaction } from '../database.ts';
import { appendRows } from '../transcript/append-rows.ts';
import { readMailbox } from './mailbox-record.ts';

/** Edits of one chat that ride along with a turn; more wait for the next. */
const maxEdits = 50;

export interface ChosenMessages {
  seqs: readonly number[];
  chatRowId: number;
  beforeSeq: number | null;
  render: (row: MailboxRow) => NewRow;
}

export async function openTurn(tx: Transaction, lease: Lease, chosen: ChosenMessages): Promise<Turn> {
  const { sessionId } = lease;
  const edits = await waitingEdits(tx, sessionId, chosen);
  const seqs = sql.param([...chosen.seqs, ...edits]);
  const mailbox = await readMailbox(tx, sessionId, sql`b.seq = ANY(${seqs}::bigint[])`);
  const { id, started_at: startedAt } = await insertTurn(tx, lease, { chatRowId: chosen.chatRowId, mailbox });
  await run(
    tx,
    sql`UPDATE mailbox SET state = 'claimed', turn_id = ${id}, attempts = attempts + 1
        WHERE session_id = ${sessionId} AND seq = ANY(${seqs}::bigint[])`,
    'claim_mailbox',
  );
  await appendRows(tx, { sessionId, turnId: id, step: 0 }, mailbox.map(chosen.render));
  const [first] = mailbox as [MailboxRow];
  return { id, sessionId, chat: first.chat, attempt: 1, lastStep: 0, startedAt, mailbox, openRound: null };
}

async function waitingEdits(tx: Transaction, sessionId: string, chosen: ChosenMessages): Promise<number[]> {
  const rows = await run<{ seq: number }>(
    tx,
    sql`SELECT seq FROM mailbox WHERE session_id = ${sessionId} AND state IN ('pending', 'claimed') AND state = 'pending'
          AND kind = 'edit' AND chat_row_id = ${chosen.chatRowId}::bigint
          AND seq < coalesce(${chosen.beforeSeq}::bigint, 9223372036854775807) ORDER BY seq LIMIT ${maxEdits}::int`,
    'waiting_edits',
  );
  return rows.map((row) => row.seq);
}

async function insertTurn(
  tx: Transaction,
  lease: Lease,
  turn: { chatRowId: number; mailbox: readonly MailboxRow[] },
) {
  const seqs = turn.mailbox.map((row) => row.seq);
  const row = await runOne<{ id: string; started_at: Date }>(
    tx,
    sql`INSERT INTO turns (session_id, id, chat_row_id, first_mailbox_seq, last_mailbox_seq, epoch)
        VALUES (${lease.sessionId}, gen_random_uuid()::text, ${turn.chatRowId}::bigint, ${seqs[0] ?? 0}::bigint,
                ${seqs.at(-1) ?? 0}::bigint, ${lease.epoch}::bigint)
        RETURNING id, started_at`,
    'insert_turn',
  );
  return row as { id: string; started_at: Date };
}
