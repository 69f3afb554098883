/** One complete tool round: its rows, usage, engine state and session counters, in one transaction. */
import {
  cleanDeep,
  GatewayError,
  type Lease,
  type MessageRow,
  type OpenRound,
  type StoredRound,
} from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne, together, transaction, type Transaction } from '../database.ts';
import { patchSession } from '../patch-session.ts';
import { applyPlan } from '../compactions/apply-plan.ts';
import { openLedgerRow } from '../compactions/open-ledger-row.ts';
import type { SessionRecord } from '../session-row.ts';
import { appendRows } from '../transcript/append-rows.ts';
import { addUsage } from '../usage/add-usage.ts';
import { type MessageRecord, messageColumns, toMessage } from '../transcript/message-record.ts';
import { lockSession, withLease } from '../with-lease.ts';
import { writeEngineStates } from '../write-engine-state.ts';
import { writeReplies } from '../write-replies.ts';

/** What every write of a step needs to know about its turn. */
export interface TurnState {
  state: string;
  last_step: number;
}

/**
 * Store a round, with the compactions that the model asked for in it. A repeat of a stored step (the answer to the first commit was lost) gives the stored rows and writes
 * nothing. Throws LeaseLost; row_missing for an unknown turn; input_invalid when a step was left out or the turn is over.
 */
export function storeRound(db: Database, round: StoredRound): Promise<readonly MessageRow[]> {
  const { lease, turnId, step } = round;
  return transaction(db, async (tx) => {
    const [session, turn] = await together(() => [
      lockSession(tx, lease),
      readTurn(tx, lease.sessionId, turnId),
    ]);
    if (step <= turn.last_step) return rowsOfStep(tx, { sessionId: lease.sessionId, turnId, step });
    if (turn.state !== 'running' || step !== turn.last_step + 1) {
      const seen = `step ${step} after step ${turn.last_step}, turn ${turn.state}`;
      throw new GatewayError('input_invalid', `turn ${turnId} cannot take ${seen}; store the steps in order`);
    }
    const [rows] = await together(() => [
      appendRows(tx, { sessionId: lease.sessionId, turnId, step }, round.rows),
      addUsage(tx, { sessionId: lease.sessionId, turnId, step, usage: round.usage, session: round.session }),
      writeEngineStates(tx, { sessionId: lease.sessionId, compactionId: null }, round.engineStates),
      patchSession(tx, lease.sessionId, round.session),
    ]);
    await writeReplies(tx, lease.sessionId, round.replies ?? []);
    await applyRoundPlans(tx, session, round.compactions);
    return rows;
  });
}

/** What the model compressed in this round: the plan, its ledger row and the call's result stand or fall together. */
async function applyRoundPlans(
  tx: Transaction,
  session: SessionRecord,
  compactions: StoredRound['compactions'],
): Promise<void> {
  for (const { opened, plan, replies } of compactions ?? []) {
    const compactionId = await openLedgerRow(tx, opened);
    await applyPlan(tx, session, { compactionId, plan, replies });
  }
}

/** The turn's row; the session's lock guards it. */
export async function readTurn(tx: Transaction, sessionId: string, turnId: string): Promise<TurnState> {
  const turn = await runOne<TurnState>(
    tx,
    sql`SELECT state, last_step FROM turns WHERE session_id = ${sessionId} AND id = ${turnId}`,
    'read_turn',
  );
  if (turn !== null) return turn;
  throw new GatewayError(
    'row_missing',
    `session ${sessionId} has no turn ${turnId}; take work with nextWork first`,
  );
}

/** Rows that an earlier, identical write stored. */
export async function rowsOfStep(
  tx: Transaction,
  at: { sessionId: string; turnId: string; step: number },
): Promise<readonly MessageRow[]> {
  const rows = await run<MessageRecord>(
    tx,
    sql`SELECT ${messageColumns} FROM messages m
        WHERE m.session_id = ${at.sessionId} AND m.turn_id = ${at.turnId} AND m.step = ${at.step}::int ORDER BY m.part`,
    'rows_of_step',
  );
  return rows.map(toMessage);
}

/** Note a round whose tools are running, so that a later attempt does not run them again. */
export function saveOpenRound(
  db: Database,
  lease: Lease,
  noted: { turnId: string; round: OpenRound },
): Promise<void> {
  return withLease(db, lease, async (tx) => {
    await run(
      tx,
      sql`UPDATE turns SET open_round = ${JSON.stringify(cleanDeep(noted.round))}::jsonb
          WHERE session_id = ${lease.sessionId} AND id = ${noted.turnId} AND state = 'running'
            AND last_step < ${noted.round.step}::int`,
      'save_open_round',
    );
  });
}
