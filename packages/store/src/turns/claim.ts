/** The lease of a session. clock_timestamp, not now: a statement may have waited for another holder's row lock. */
import type { ClaimResult, Lease } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { type Database, onOneConnection, runOne, together, type Transaction } from '../database.ts';
import { waitsForMedia } from '../media/take-media.ts';
import { sessionColumns, type SessionRecord, toSession } from '../session-row.ts';

/**
 * Free or expired → epoch + 1 and ours for `leaseMs`; one statement, so that two claims never both win.
 *
 * Its commit does not wait for the disk: the holder's first write does, and the log reaches the disk in order, so a crash
 * of the database that takes the claim away takes everything done under it along.
 */
export async function claim(
  db: Database,
  wanted: { sessionId: string; owner: string; leaseMs: number },
): Promise<ClaimResult> {
  const { sessionId, owner, leaseMs } = wanted;
  const session = await runOne<SessionRecord & { engine_state: unknown }>(
    db,
    sql`WITH commit AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
        UPDATE sessions SET epoch = epoch + 1, lease_owner = ${owner},
               lease_until = clock_timestamp() + ${leaseMs}::int * interval '1 ms'
        FROM commit
        WHERE id = ${sessionId} AND (lease_until IS NULL OR lease_until <= clock_timestamp())
        RETURNING ${sessionColumns},
          (SELECT e.state FROM engine_state e WHERE e.session_id = sessions.id AND e.engine = sessions.engine) AS engine_state`,
    'claim_session',
  );
  if (session !== null) {
    return {
      kind: 'claimed',
      lease: { sessionId, epoch: session.epoch, owner },
      session: toSession(session),
      engineState: session.engine_state,
    };
  }
  const holder = await runOne<{ lease_owner: string | null }>(
    db,
    sql`SELECT lease_owner FROM sessions WHERE id = ${sessionId}`,
    'session_holder',
  );
  return holder === null ? { kind: 'unknown' } : { kind: 'busy', owner: holder.lease_owner ?? '' };
}

/** An expired lease that nobody took over is renewed too: the epoch decides. */
export async function renew(db: Database, lease: Lease, leaseMs: number): Promise<boolean> {
  const row = await runOne(
    db,
    sql`UPDATE sessions SET lease_until = clock_timestamp() + ${leaseMs}::int * interval '1 ms'
        WHERE id = ${lease.sessionId} AND epoch = ${lease.epoch}::bigint AND lease_owner = ${lease.owner} RETURNING id`,
    'renew_lease',
  );
  return row !== null;
}

/**
 * Give the lease back, then look once more: a row stored between the last drain and this moment found the session busy.
 * True when something is due now; a row that may still grow is not, the caller knows its wait from `nextWork`.
 */
export async function release(db: Database, lease: Lease): Promise<boolean> {
  // The look must come after the release: on one connection the server keeps them in order.
  const [released, waiting] = await onOneConnection(db, (connection) =>
    together(() => [giveBack(connection, lease), findWaiting(connection, lease.sessionId)]),
  );
  return released !== null && (waiting?.waiting ?? false);
}

/** One look and the release in one trip, instead of a round that finds nothing. */
export async function releaseWhenDone(db: Database, lease: Lease): Promise<'more' | 'waiting' | 'done'> {
  const [released, waiting] = await onOneConnection(db, (connection) =>
    together(() => [giveBackWhenDone(connection, lease), findWaiting(connection, lease.sessionId)]),
  );
  if (released === null) return 'more';
  return waiting?.waiting ? 'waiting' : 'done';
}

/** Null: something is left to do, and the lease is kept. */
export function giveBackWhenDone(connection: Transaction, lease: Lease): Promise<object | null> {
  return runOne(
    connection,
    sql`UPDATE sessions SET lease_owner = NULL, lease_until = NULL
        WHERE id = ${lease.sessionId} AND epoch = ${lease.epoch}::bigint AND lease_owner = ${lease.owner}
          AND NOT (${anythingLeft(lease.sessionId)})
        RETURNING id`,
    'release_when_done',
  );
}

/**
 * The same for an UPDATE of the session that is made anyway. The row must have been locked by an earlier statement:
 * whoever puts something into a session locks it too, so that no second look is needed.
 */
export function leaseWhileWaiting({ sessionId }: Lease): SQL {
  return sql`(lease_owner, lease_until) = (SELECT lease_owner, lease_until WHERE ${anythingLeft(sessionId)})`;
}

/** Mail, due now or soon, a signal or a turn. */
function anythingLeft(sessionId: string): SQL {
  return sql`EXISTS (SELECT 1 FROM mailbox WHERE session_id = ${sessionId} AND state IN ('pending', 'claimed') AND kind <> 'edit'
                       AND (state = 'pending' OR (state = 'claimed' AND turn_id IS NULL)))
             OR EXISTS (SELECT 1 FROM signals WHERE session_id = ${sessionId})
             OR EXISTS (SELECT 1 FROM turns WHERE session_id = ${sessionId} AND state = 'running')`;
}

function giveBack(connection: Transaction, lease: Lease): Promise<object | null> {
  return runOne(
    connection,
    sql`UPDATE sessions SET lease_owner = NULL, lease_until = NULL
        WHERE id = ${lease.sessionId} AND epoch = ${lease.epoch}::bigint AND lease_owner = ${lease.owner} RETURNING id`,
    'release_session',
  );
}

function findWaiting(connection: Transaction, sessionId: string): Promise<{ waiting: boolean } | null> {
  return runOne<{ waiting: boolean }>(
    connection,
    sql`SELECT EXISTS (SELECT 1 FROM mailbox WHERE session_id = ${sessionId} AND state = 'pending'
                         AND kind <> 'edit' AND not_before <= clock_timestamp() AND NOT ${waitsForMedia})
            OR EXISTS (SELECT 1 FROM mailbox WHERE session_id = ${sessionId} AND state = 'claimed' AND turn_id IS NULL)
            OR EXISTS (SELECT 1 FROM signals WHERE session_id = ${sessionId})
            OR EXISTS (SELECT 1 FROM turns WHERE session_id = ${sessionId} AND state = 'running') AS waiting`,
    'session_waiting',
  );
}
