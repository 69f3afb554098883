import type { LcmStore } from '@palimpsest/core';
import type { Database } from '../database.ts';
import { withLease } from '../with-lease.ts';
import { breakerFailed, breakerSucceeded, clearSpend, spend, stopSpend } from './brakes.ts';
import { dueDebts, finishDebt, requestDebt, restDebt, startDebt } from './debts.ts';
import { doctor } from './doctor.ts';
import { draw, writtenBy } from './draw.ts';
import { grepFiles } from './grep-files.ts';
import { grep } from './grep.ts';
import { heads, loadState, openLcmItems, summariesById } from './load-state.ts';
import { messagesOf, oneMessage } from './look-at-messages.ts';
import { describe, manifest, sourcesOf } from './look-up.ts';
import { messageCounts } from './message-counts.ts';
import { fileInScope, readFile } from './read-files.ts';
import { rowsUnder } from './rows-under.ts';
import { exportGraph, readStatus } from './status.ts';
import { writeLcm } from './write-lcm.ts';

/** The lossless engine's tables behind their port. */
export function createLcmStore(db: Database): LcmStore {
  return { ...contextPart(db), ...brakesPart(db), ...retrievalPart(db) };
}

type ContextPart = Pick<
  LcmStore,
  | 'load'
  | 'summaries'
  | 'heads'
  | 'rowsUnder'
  | 'write'
  | 'status'
  | 'doctor'
  | 'exportGraph'
  | 'draw'
  | 'writtenBy'
>;

function contextPart(db: Database): ContextPart {
  const items = openLcmItems();
  return {
    load: (sessionId) => loadState(db, items, sessionId),
    summaries: (sessionId, ids) => summariesById(db, sessionId, ids),
    heads: (sessionId) => heads(db, sessionId),
    rowsUnder: (sessionId, rowIds) => rowsUnder(db, sessionId, rowIds),
    write: (lease, change) =>
      withLease(db, lease, (tx) => writeLcm(tx, { sessionId: lease.sessionId, compactionId: null }, change)),
    status: (sessionId) => readStatus(db, sessionId),
    doctor: (sessionId) => doctor(db, sessionId),
    exportGraph: (sessionId) => exportGraph(db, sessionId),
    draw: (sessionId, mostLeaves) => draw(db, sessionId, mostLeaves),
    writtenBy: (sessionId, compactionId) => writtenBy(db, sessionId, compactionId),
  };
}

type BrakesPart = Pick<
  LcmStore,
  | 'requestDebt'
  | 'startDebt'
  | 'finishDebt'
  | 'restDebt'
  | 'dueDebts'
  | 'breakerFailed'
  | 'breakerSucceeded'
  | 'spend'
  | 'stopSpend'
  | 'clearSpend'
>;

function brakesPart(db: Database): BrakesPart {
  return {
    requestDebt: (sessionId, request) => requestDebt(db, sessionId, request),
    startDebt: (sessionId, revision) => startDebt(db, sessionId, revision),
    finishDebt: (sessionId, revision, end) => finishDebt(db, sessionId, { revision, end }),
    restDebt: (sessionId, restMs) => restDebt(db, sessionId, restMs),
    dueDebts: (limit) => dueDebts(db, limit),
    breakerFailed: (provider, model, policy) => breakerFailed(db, { provider, model }, policy),
    breakerSucceeded: (provider, model) => breakerSucceeded(db, { provider, model }),
    spend: (sessionId, calls, policy) => spend(db, sessionId, { calls, policy }),
    stopSpend: (sessionId, policy) => stopSpend(db, sessionId, policy),
    clearSpend: (sessionId) => clearSpend(db, sessionId),
  };
}

type RetrievalPart = Omit<LcmStore, keyof ContextPart | keyof BrakesPart>;

function retrievalPart(db: Database): RetrievalPart {
  return {
    grep: (scope, wish) => grep(db, scope, wish),
    grepFiles: (scope, wish) => grepFiles(db, scope, wish),
    describe: (scope, summaryId) => describe(db, scope, summaryId),
    sourcesOf: (scope, summaryId) => sourcesOf(db, scope, summaryId),
    messageCounts: (sessionId, ids) => messageCounts(db, sessionId, ids),
    manifest: (scope, summaryId, maxDepth) => manifest(db, scope, { summaryId, maxDepth }),
    messagesOf: (scope, summaryId, page) => messagesOf(db, scope, { ...page, summaryId }),
    message: (scope, messageId, slice) => oneMessage(db, scope, { ...slice, messageId }),
    file: (scope, fileId) => fileInScope(db, scope, fileId),
    readFile: (scope, fileId, window) => readFile(db, scope, { fileId, window }),
  };
}
