/** What comes next: the turn a dead holder left, which acts on signals itself → signals → the oldest command → the oldest messages of one chat. */
import {
  GatewayError,
  type Lease,
  type MailboxRow,
  never,
  type NextWork,
  type Turn,
  type WorkOptions,
} from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne, together, transaction, type Transaction } from '../database.ts';
import { lookUnderLease, withLease } from '../with-lease.ts';
import { chooseRows, type WaitingRow } from './choose-rows.ts';
import { deniedOf, pendingSenders, withdrawDenied } from './drop-denied.ts';
import { readMailbox } from './mailbox-record.ts';
import type { LiveViews } from '../transcript/live-view.ts';
import { openTurn, type OpenedTurn } from './open-turn.ts';
import { findRunningTurn, resumeTurn } from './resume-turn.ts';
import { waitingRows } from './waiting-rows.ts';

type Decided = Exclude<NextWork, { kind: 'turn' }> | OpenedTurn;

export async function nextWork(
  db: Database,
  views: LiveViews,
  { lease, options }: { lease: Lease; options: WorkOptions },
): Promise<NextWork> {
  const tried: number[] = [];
  try {
    const work = await transaction(db, (tx) => decide(tx, lease, { ...options, views, tried }));
    // Not before the commit: its rows may never have been.
    if (work.kind === 'turn' && work.view) views.keep(lease.sessionId, work.view);
    return work;
  } catch (thrown) {
    await countFailure(db, lease, { tried, thrown });
    throw thrown;
  }
}

/** `tried` receives the rows that are about to become a turn. */
async function decide(
  tx: Transaction,
  lease: Lease,
  options: WorkOptions & { views: LiveViews; tried: number[] },
): Promise<Decided> {
  const [{ signal, running }, senders, open] = await together(() => [
    lookFirst(tx, lease),
    pendingSenders(tx, lease.sessionId),
    waitingRows(tx, lease.sessionId, options.maxTexts + 1),
  ]);
  const left = running ? await findRunningTurn(tx, lease.sessionId) : null;
  if (left !== null) return resumeTurn(tx, lease, { left, maxAttempts: options.maxAttempts });
  if (signal) return { kind: 'signals' };
  const denied = deniedOf(senders, options.lists);
  if (denied.length > 0) await withdrawDenied(tx, lease.sessionId, denied);
  const waiting = denied.length > 0 ? await waitingRows(tx, lease.sessionId, options.maxTexts + 1) : open;
  const choice = chooseRows(waiting.rows, options);
  switch (choice.kind) {
    case 'none':
    case 'later':
      return choice;
    case 'command':
      return takeCommand(tx, lease.sessionId, choice.row);
    case 'poison':
      return { kind: 'poison', turn: await asTurn(tx, lease.sessionId, choice.row) };
    case 'messages':
      if (options.admit?.(choice.senderIds[0] ?? '') === false) return { kind: 'crowded' };
      options.tried.push(...choice.seqs);
      return openTurn(tx, lease, { ...options, ...choice, mailbox: waiting.whole(choice.seqs) });
    default:
      return never(choice);
  }
}

/** A message that cannot even become a transcript row must not hold up the mailbox for ever: it is counted and given up. */
async function countFailure(
  db: Database,
  lease: Lease,
  failed: { tried: readonly number[]; thrown: unknown },
): Promise<void> {
  const isTransient =
    failed.thrown instanceof GatewayError && (failed.thrown.retryable || failed.thrown.code === 'lease_lost');
  if (isTransient || failed.tried.length === 0) return;
  await withLease(db, lease, async (tx) => {
    await run(
      tx,
      sql`UPDATE mailbox SET attempts = attempts + 1 WHERE session_id = ${lease.sessionId} AND state = 'pending'
            AND seq = ANY(${sql.param([...failed.tried])}::bigint[])`,
      'count_failure',
    );
  });
}

/**
 * Lock the session's row, and look for what goes before its mail. Throws LeaseLost.
 *
 * Like the claim's, the commit does not wait for the disk: whatever is done because of it is committed behind it.
 */
function lookFirst(tx: Transaction, lease: Lease): Promise<{ signal: boolean; running: boolean }> {
  const { sessionId } = lease;
  return lookUnderLease(tx, lease, {
    select: sql`set_config('synchronous_commit', 'off', true),
               EXISTS (SELECT 1 FROM signals WHERE session_id = ${sessionId}) AS signal,
               EXISTS (SELECT 1 FROM turns WHERE session_id = ${sessionId} AND state = 'running') AS running`,
    name: 'look_first',
  });
}

async function takeCommand(tx: Transaction, sessionId: string, row: WaitingRow): Promise<Decided> {
  await runOne(
    tx,
    sql`UPDATE mailbox SET state = 'claimed', attempts = attempts + 1
        WHERE session_id = ${sessionId} AND seq = ${row.seq}::bigint RETURNING seq`,
    'take_command',
  );
  const [command] = await readMailbox(tx, sessionId, sql`b.seq = ${row.seq}::bigint`);
  return command === undefined ? { kind: 'none' } : { kind: 'command', row: command };
}

/** A command or message that failed too often, in the form that `buryTurn` takes: it has no turn row. */
async function asTurn(tx: Transaction, sessionId: string, row: WaitingRow): Promise<Turn> {
  const mailbox = await readMailbox(tx, sessionId, sql`b.seq = ${row.seq}::bigint`);
  const [command] = mailbox as [MailboxRow];
  return {
    id: `mailbox-${row.seq}`,
    sessionId,
    chat: command.chat,
    attempt: row.attempts,
    lastStep: 0,
    startedAt: command.acceptedAt,
    mailbox,
    openRound: null,
  };
}
