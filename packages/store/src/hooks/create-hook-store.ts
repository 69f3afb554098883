/** hook_subscribers and hook_deliveries: events on their way to hooks. */
import type { Actor, DeadHookDelivery, HookDelivery, HookStore, HookSubscriber } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne, transaction } from '../database.ts';
import { writeAction } from '../operators/write-action.ts';

export function createHookStore(db: Database): HookStore {
  return {
    subscribe: (subscribers) => subscribe(db, subscribers),
    due: (limit) => due(db, limit),
    async delivered({ sessionId, eventId, subscriber }) {
      await run(
        db,
        sql`UPDATE hook_deliveries SET state = 'done', done_at = now(), attempts = attempts + 1, problem = NULL
            WHERE session_id = ${sessionId} AND event_id = ${eventId}::bigint AND subscriber = ${subscriber}`,
        'hook_delivered',
      );
    },
    async failed({ sessionId, eventId, subscriber }, { problem, retryInMs }) {
      await run(
        db,
        sql`UPDATE hook_deliveries SET attempts = attempts + 1, problem = ${problem},
              state = CASE WHEN ${retryInMs}::float8 IS NULL THEN 'dead' ELSE state END,
              done_at = CASE WHEN ${retryInMs}::float8 IS NULL THEN now() END,
              not_before = now() + coalesce(${retryInMs}::float8, 0) * interval '1 ms'
            WHERE session_id = ${sessionId} AND event_id = ${eventId}::bigint AND subscriber = ${subscriber}
              AND state = 'pending'`,
        'hook_failed',
      );
    },
    dead: (limit) => dead(db, limit),
    settleDead: (which, ...[wish, actor]) => settleDead(db, which, { wish, actor }),
  };
}

function subscribe(db: Database, subscribers: readonly HookSubscriber[]): Promise<void> {
  const names = sql.param(subscribers.map(({ name }) => name));
  return transaction(db, async (tx) => {
    await run(tx, sql`DELETE FROM hook_subscribers WHERE name <> ALL (${names}::text[])`);
    for (const { name, events } of subscribers)
      await run(
        tx,
        sql`INSERT INTO hook_subscribers (name, events) VALUES (${name}, ${sql.param([...events])}::text[])
            ON CONFLICT (name) DO UPDATE SET events = EXCLUDED.events`,
      );
    await run(
      tx,
      sql`UPDATE hook_deliveries SET state = 'dead', done_at = now(), problem = 'there is no such hook in the config any more'
          WHERE state = 'pending' AND subscriber <> ALL (${names}::text[])`,
    );
  });
}

/** An event waits behind the earlier ones of its session, also while those rest before their next attempt. */
function due(db: Database, limit: number): Promise<HookDelivery[]> {
  return run<HookDelivery>(
    db,
    sql`SELECT h.session_id AS "sessionId", h.event_id AS "eventId", h.subscriber, h.attempts,
          e.payload AS event, e.created_at AS "createdAt"
        FROM hook_deliveries h JOIN events e ON e.session_id = h.session_id AND e.id = h.event_id
        WHERE h.state = 'pending' AND h.not_before <= now() AND NOT EXISTS (
          SELECT 1 FROM hook_deliveries earlier WHERE earlier.session_id = h.session_id
            AND earlier.event_id < h.event_id AND earlier.subscriber = h.subscriber AND earlier.state = 'pending')
        ORDER BY h.event_id LIMIT ${limit}::int`,
    'hooks_due',
  );
}

function dead(db: Database, limit: number): Promise<DeadHookDelivery[]> {
  return run<DeadHookDelivery>(
    db,
    sql`SELECT h.session_id AS "sessionId", h.event_id AS "eventId", h.subscriber, h.attempts, h.problem,
          e.type, e.created_at AS "createdAt"
        FROM hook_deliveries h JOIN events e ON e.session_id = h.session_id AND e.id = h.event_id
        WHERE h.state = 'dead' ORDER BY h.event_id DESC LIMIT ${limit}::int`,
  );
}

function settleDead(
  db: Database,
  { eventId, subscriber }: Pick<HookDelivery, 'eventId' | 'subscriber'>,
  { wish, actor }: { wish: 'retry' | 'drop'; actor: Actor },
): Promise<boolean> {
  const state = wish === 'retry' ? 'pending' : 'dropped';
  return transaction(db, async (tx) => {
    const row = await runOne<{ session_id: string }>(
      tx,
      sql`UPDATE hook_deliveries SET state = ${state}, attempts = 0, not_before = now(),
            done_at = CASE WHEN ${state} = 'dropped' THEN now() END
          WHERE event_id = ${eventId}::bigint AND subscriber = ${subscriber} AND state = 'dead' RETURNING session_id`,
    );
    if (row === null) return false;
    const act = wish === 'retry' ? 'retry_event' : 'drop_event';
    await writeAction(tx, { actor, act, sessionId: row.session_id, target: `${subscriber} ${eventId}` });
    return true;
  });
}
