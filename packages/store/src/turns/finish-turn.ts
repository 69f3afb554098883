/** The end of a turn, in ONE transaction: after it the answer is in the transcript and on its way, before it neither. */
import {
  type FinishedTurn,
  GatewayError,
  type Lease,
  type SessionPatch,
  type TurnEnd,
} from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, lastly, run, together, transaction, type Transaction } from '../database.ts';
import { changeOf, patchSession, type SessionChange } from '../patch-session.ts';
import { appendWith, isOneStatement } from '../transcript/append-rows.ts';
import { addUsage } from '../usage/add-usage.ts';
import { checkLease } from '../with-lease.ts';
import { writeEngineStates } from '../write-engine-state.ts';
import { writeEvents } from '../write-events.ts';
import { writeReplies } from '../write-replies.ts';
import { giveBackWhenDone, leaseWhileWaiting } from './claim.ts';
import { readTurn, rowsOfStep } from './store-round.ts';

/**
 * Last rows, usage, engine state, session counters, mailbox rows done, replies, events; and the lease given back where that
 * is asked for and nothing waits. A repeat for a turn that is over writes nothing and gives the stored rows of the step.
 * Throws LeaseLost; input_invalid when rows come under a stored step.
 */
export function finishTurn(db: Database, finished: FinishedTurn): Promise<TurnEnd> {
  const { turnId, step } = finished;
  const { sessionId } = finished.lease;
  return transaction(db, async (tx) => {
    const [, turn] = await together(() => [checkLease(tx, finished.lease), readTurn(tx, sessionId, turnId)]);
    if (turn.state !== 'running')
      return { rows: await rowsOfStep(tx, { sessionId, turnId, step }), released: false };
    if (finished.rows.length > 0 && step <= turn.last_step) {
      const message = `turn ${turnId} has step ${turn.last_step} already; its last rows need a higher step than ${step}`;
      throw new GatewayError('input_invalid', message);
    }
    // What needs a second statement after seeing the first one's result is committed apart.
    const isShort = (finished.engineStates ?? []).length === 0 && isOneStatement(finished.rows);
    const end: typeof together = isShort ? (send) => lastly(tx, send) : together;
    const lastStep = finished.rows.length > 0 ? step : turn.last_step;
    const { usage, outcome: ended, session } = finished;
    const [, , , , , closed] = await end(() => [
      addUsage(tx, { sessionId, turnId, step: lastStep, usage, ended, session }),
      writeEngineStates(tx, { sessionId, compactionId: null }, finished.engineStates),
      settleMail(tx, { sessionId, turnId, state: 'done' }),
      writeEvents(tx, finished.events),
      writeReplies(tx, sessionId, finished.replies),
      // At last: the look for what waits must see the turn's own mail as done.
      close(tx, finished),
    ]);
    return closed;
  });
}

/** The last rows and the session's row. */
async function close(tx: Transaction, finished: FinishedTurn): Promise<TurnEnd> {
  const { lease, turnId, step, rows, session: patch, release = false } = finished;
  const { sessionId } = lease;
  if (rows.length > 0) {
    const options = { sessionId, turnId, step, change: endOf(lease, patch, release) };
    const { rows: written, isFree } = await appendWith(tx, options, rows);
    return { rows: written, released: isFree };
  }
  const [, given] = await together(() => [
    patchSession(tx, sessionId, patch),
    release ? giveBackWhenDone(tx, lease) : Promise.resolve(null),
  ]);
  return { rows: [], released: given !== null };
}

function endOf(lease: Lease, patch: SessionPatch | undefined, release: boolean): SessionChange {
  const { sets, name } = changeOf(patch);
  return release ? { sets: [...sets, leaseWhileWaiting(lease)], name: `${name}_release` } : { sets, name };
}

/** The turn's mailbox rows end with it; its preview text goes away, and messages that show it become the reply or are taken back. */
export async function settleMail(
  tx: Transaction,
  settled: { sessionId: string; turnId: string; state: 'done' | 'dead' },
): Promise<void> {
  const { sessionId, turnId } = settled;
  await run(
    tx,
    sql`WITH progress AS (DELETE FROM turn_progress WHERE session_id = ${sessionId} AND turn_id = ${turnId}),
             previews AS (UPDATE outbox SET state = 'pending'
                          WHERE session_id = ${sessionId} AND turn_id = ${turnId} AND state = 'open')
        UPDATE mailbox SET state = ${settled.state}, done_at = now()
        WHERE session_id = ${sessionId} AND state IN ('pending', 'claimed') AND turn_id = ${turnId}`,
    'settle_mail',
  );
}
