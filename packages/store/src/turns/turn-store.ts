/** The worker's side of a session: claim → next work → rounds → finish → release. */
import type { TurnStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, runOne } from '../database.ts';
import { storeHeard } from '../media/media-of-mail.ts';
import { patchSession } from '../patch-session.ts';
import { sessionColumns, type SessionRecord, toSession } from '../session-row.ts';
import { withLease } from '../with-lease.ts';
import { writeEvents } from '../write-events.ts';
import type { LiveViews } from '../transcript/live-view.ts';
import { writeReplies } from '../write-replies.ts';
import { buryTurn, suspendTurn } from './bury-turn.ts';
import { claim, release, releaseWhenDone, renew } from './claim.ts';
import { conversations } from './conversations.ts';
import { answerOperator, finishCommand, withdrawPending } from './finish-command.ts';
import { finishTurn } from './finish-turn.ts';
import { joinTurn } from './join-turn.ts';
import { keepTrace } from './keep-trace.ts';
import { mailBehind } from './mail-behind.ts';
import { nextWork } from './next-work.ts';
import { putProgress } from './put-progress.ts';
import { resetSession } from './reset-session.ts';
import { resumeSession } from './resume-session.ts';
import { retryTurn } from './retry-turn.ts';
import { saveOpenRound, storeRound } from './store-round.ts';
import { summaryEnd } from './summary-end.ts';
import { takeSignals } from './take-signals.ts';
import { undoTurns } from './undo-turns.ts';
import { waitingMail } from './waiting-mail.ts';

export function createTurnStore(db: Database, views: LiveViews): TurnStore {
  return {
    claim: (sessionId, owner, leaseMs) => claim(db, { sessionId, owner, leaseMs }),
    renew: (lease, leaseMs) => renew(db, lease, leaseMs),
    releaseWhenDone: (lease) => releaseWhenDone(db, lease),
    release: (lease) => release(db, lease),
    session: (sessionId) => readSession(db, sessionId),
    patchSession: (lease, patch) => withLease(db, lease, (tx) => patchSession(tx, lease.sessionId, patch)),
    nextWork: (lease, options) => nextWork(db, views, { lease, options }),
    storeHeard: (lease, heard) => storeHeard(db, lease, heard),
    finishCommand: (lease, row, end) => finishCommand(db, lease, { row, ...end }),
    answerOperator: (lease, row, answer) => answerOperator(db, lease, { row, answer }),
    withdrawPending: (lease, beforeSeq) => withdrawPending(db, lease, beforeSeq),
    takeSignals: (lease) => takeSignals(db, lease),
    addReplies: (lease, replies, events = []) =>
      withLease(db, lease, async (tx) => {
        await writeReplies(tx, lease.sessionId, replies);
        await writeEvents(tx, events);
      }),
    saveOpenRound: (lease, turnId, round) => saveOpenRound(db, lease, { turnId, round }),
    storeRound: (round) => storeRound(db, round),
    finishTurn: (finished) => finishTurn(db, finished),
    buryTurn: (lease, turn, replies) => buryTurn(db, lease, { turn, replies }),
    keepTrace: (lease, turn) => keepTrace(db, lease, turn),
    suspendTurn: (lease, turnId) => suspendTurn(db, lease, turnId),
    putProgress: (input) => putProgress(db, input),
    conversations: (sessionId) => conversations(db, sessionId),
    waitingMail: (sessionId) => waitingMail(db, sessionId),
    mailBehind: (sessionId, turn) => mailBehind(db, sessionId, turn),
    joinTurn: (lease, turn, options) => joinTurn(db, lease, { turn, options }),
    resumeSession: (lease, resumed) => resumeSession(db, lease, resumed),
    summaryEnd: (sessionId) => summaryEnd(db, sessionId),
    undoTurns: (lease, taken) => undoTurns(db, lease, taken),
    retryTurn: (lease, retried) => retryTurn(db, lease, retried),
    engineState: (sessionId, engine) => readEngineState(db, sessionId, engine),
    resetSession: (lease, chat, replies) => resetSession(db, lease, { chat, replies }),
  };
}

async function readSession(db: Database, sessionId: string) {
  const row = await runOne<SessionRecord>(
    db,
    sql`SELECT ${sessionColumns} FROM sessions WHERE id = ${sessionId}`,
    'read_session',
  );
  return row === null ? null : toSession(row);
}

async function readEngineState(db: Database, sessionId: string, engine: string): Promise<unknown> {
  const row = await runOne<{ state: unknown }>(
    db,
    sql`SELECT state FROM engine_state WHERE session_id = ${sessionId} AND engine = ${engine}`,
    'read_engine_state',
  );
  return row?.state ?? null;
}
