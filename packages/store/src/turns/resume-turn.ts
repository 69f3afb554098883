/** The turn a dead (or stopped) holder left running: the same id, the next attempt, after the last stored step. */
import type { Lease, NewRow, OpenRound, Turn } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type ChatTargetRecord, chatTargetColumns, toChatTarget } from '../chat-target.ts';
import { run, runOne, type Transaction } from '../database.ts';
import { readMailbox } from './mailbox-record.ts';

export interface RunningTurn extends ChatTargetRecord {
  id: string;
  attempt: number;
  last_step: number;
  open_round: OpenRound | null;
  started_at: Date;
}

/** The session's oldest turn that nobody finished; null when there is none. */
export function findRunningTurn(tx: Transaction, sessionId: string): Promise<RunningTurn | null> {
  return runOne<RunningTurn>(
    tx,
    sql`SELECT t.id, t.attempt, t.last_step, t.open_round, t.started_at, ${chatTargetColumns}
        FROM turns t JOIN chats c ON c.id = t.chat_row_id
        WHERE t.session_id = ${sessionId} AND t.state = 'running' ORDER BY t.started_at LIMIT 1`,
    'running_turn',
  );
}

/** Go on with a turn. Poison when it was tried `maxAttempts` times; it stays until it is buried. */
export async function resumeTurn(
  tx: Transaction,
  lease: Lease,
  { left, maxAttempts }: { left: RunningTurn; maxAttempts: number },
): Promise<{ kind: 'poison' | 'turn'; turn: Turn }> {
  const { sessionId } = lease;
  const isPoison = left.attempt >= maxAttempts;
  const attempt = isPoison ? left.attempt : left.attempt + 1;
  if (!isPoison) await beginAttempt(tx, lease, { id: left.id, attempt });
  const turn = {
    id: left.id,
    sessionId,
    chat: toChatTarget(left),
    attempt,
    lastStep: left.last_step,
    startedAt: left.started_at,
    mailbox: await readMailbox(tx, sessionId, sql`b.turn_id = ${left.id}`),
    openRound: left.open_round === null ? null : withDates(left.open_round),
  };
  return { kind: isPoison ? 'poison' : 'turn', turn };
}

async function beginAttempt(
  tx: Transaction,
  lease: Lease,
  turn: { id: string; attempt: number },
): Promise<void> {
  await run(
    tx,
    sql`UPDATE turns SET attempt = ${turn.attempt}::int, epoch = ${lease.epoch}::bigint, attempted_at = now()
        WHERE session_id = ${lease.sessionId} AND id = ${turn.id}`,
    'begin_attempt',
  );
}

/** JSON keeps a date as text. */
function withDates(round: OpenRound): OpenRound {
  const rows = round.rows.map((row): NewRow =>
    row.sentAt === undefined ? row : { ...row, sentAt: new Date(row.sentAt) },
  );
  return { step: round.step, rows };
}
