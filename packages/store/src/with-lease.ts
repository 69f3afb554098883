/** Rule 3 of the architecture: only the lease holder changes a session's rows. */
import { LeaseLost, type Lease } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { type Database, planOnce, runOne, transaction, type Transaction } from './database.ts';
import { sessionColumns, type SessionRecord } from './session-row.ts';

/**
 * Run `work` in one transaction that first locks the session row and compares epoch and owner. Equal epochs decide: an
 * expired lease that nobody took over is still ours. Throws LeaseLost when it moved on or was given back; then
 * nothing was written.
 */
export function withLease<Result>(
  db: Database,
  lease: Lease,
  work: (tx: Transaction, session: SessionRecord) => Promise<Result>,
): Promise<Result> {
  return transaction(db, async (tx) => work(tx, await lockSession(tx, lease)));
}

/** Lock the session row of a running transaction and compare; for operations that must lock something else first. */
export function lockSession(tx: Transaction, lease: Lease): Promise<SessionRecord> {
  return lockRow(tx, lease, { select: sessionColumns, name: 'lock_session' });
}

/**
 * The same where nothing of the row is wanted but that it is ours; what follows is planned once (`planOnce`). It may be sent
 * right behind: whoever holds the lease, it waits until the row is free.
 */
export async function checkLease(tx: Transaction, lease: Lease): Promise<void> {
  await lookUnderLease(tx, lease, { select: sql`1 AS ours`, name: 'check_lease' });
}

/** `checkLease` with a look at something else. */
export function lookUnderLease<Row extends object>(tx: Transaction, lease: Lease, look: Look): Promise<Row> {
  return lockRow(tx, lease, { ...look, select: sql`epoch, lease_owner, ${look.select}, ${planOnce}` });
}

interface Look {
  select: SQL;
  name: string;
}

async function lockRow<Row extends object>(tx: Transaction, lease: Lease, look: Look): Promise<Row> {
  // NO KEY: rows of other tables may go on referring to the session while it is locked.
  const session = await runOne<Row & Pick<SessionRecord, 'epoch' | 'lease_owner'>>(
    tx,
    sql`SELECT ${look.select} FROM sessions WHERE id = ${lease.sessionId} FOR NO KEY UPDATE`,
    look.name,
  );
  if (session === null || session.epoch !== lease.epoch || session.lease_owner !== lease.owner) {
    throw new LeaseLost(lease.sessionId, lease.epoch);
  }
  return session;
}
