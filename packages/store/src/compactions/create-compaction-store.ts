import type { CompactionStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';
import { withLease } from '../with-lease.ts';
import { applyUnderLease } from './apply-plan.ts';
import { appliedLastHour } from './applied-last-hour.ts';
import { closeWithout } from './close-without.ts';
import { confirm } from './confirm.ts';
import { openLedgerRow } from './open-ledger-row.ts';
import * as prepared from './prepared-plans.ts';
import { readLedger } from './read-ledger.ts';
import { recordProvider } from './record-provider.ts';
import { rotate } from './rotate.ts';
import { sinceFormer } from './since-former.ts';
import { undo } from './undo.ts';
import { undoGround } from './undo-ground.ts';

/** The ledger, plans made ahead, and the one way rows are archived. */
export function createCompactionStore(db: Database): CompactionStore {
  return {
    open: (opened) => openLedgerRow(db, opened),
    apply: (lease, ...[compactionId, plan, replies]) =>
      applyUnderLease(db, lease, { compactionId, plan, replies }),
    rotate: (lease, ...[compactionId, plan, replies]) => rotate(db, lease, { compactionId, plan, replies }),
    undoGround: (sessionId) => undoGround(db, sessionId),
    undo: (lease, ...[undone, replies]) =>
      withLease(db, lease, (tx, session) => undo(tx, session, { ...undone, replies })),
    recordProvider: (lease, opened, done) =>
      withLease(db, lease, (tx, session) => recordProvider(tx, session, { ...done, opened })),
    closeWithout: (compactionId, result, lease) => closeWithout(db, { compactionId, result, lease }),
    confirm: (sessionId, usage) => confirm(db, sessionId, usage),
    appliedLastHour: (sessionId, atMost) => appliedLastHour(db, sessionId, atMost),
    sinceFormer: (sessionId, compactionId) => sinceFormer(db, sessionId, compactionId),
    savePrepared: (sessionId, plan) => prepared.savePrepared(db, sessionId, plan),
    findPrepared: (sessionId, engine, configHash) =>
      prepared.findPrepared(db, sessionId, { engine, configHash }),
    dropPrepared: (sessionId) => prepared.dropPrepared(db, sessionId),
    preparationUnderWay: (sessionId) => prepared.preparationUnderWay(db, sessionId),
    markPreparing: (sessionId, ttlMs) => prepared.markPreparing(db, sessionId, ttlMs),
    endPreparing: (sessionId) => prepared.endPreparing(db, sessionId),
    idleSeen: (sessionId) => idleSeen(db, sessionId),
    ledger: (options) => readLedger(db, options),
  };
}

async function idleSeen(db: Database, sessionId: string): Promise<void> {
  await run(
    db,
    sql`UPDATE sessions SET idle_checked_at = clock_timestamp() WHERE id = ${sessionId}`,
    'idle_seen',
  );
}
