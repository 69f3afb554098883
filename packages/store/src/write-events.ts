/** events and hook_deliveries: written in the transaction of what they speak of. */
import { cleanDeep, type GatewayEvent } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { run, together, type Transaction } from './database.ts';

/** Write events in the order given, each with a row for everybody who is to hear of it, in one statement. */
export async function writeEvents(tx: Transaction, events: readonly GatewayEvent[]): Promise<void> {
  await together(() =>
    events.map((event) =>
      run(
        tx,
        sql`WITH event AS (
              INSERT INTO events (session_id, type, payload)
              VALUES (${event.sessionId}, ${event.type}, ${JSON.stringify(cleanDeep(event))}::jsonb)
              RETURNING session_id, id, type)
            INSERT INTO hook_deliveries (session_id, event_id, subscriber)
            SELECT event.session_id, event.id, h.name FROM event JOIN hook_subscribers h
              ON ${isWanted('event.type')}`,
        'write_event',
      ),
    ),
  );
}

/** Does the subscriber `h` want events of the type in this column? No names: all of them. */
function isWanted(type: string): SQL {
  return sql.raw(
    `cardinality(h.events) = 0 OR ${type} = ANY (h.events) OR (${type} LIKE 'command:%' AND 'command:*' = ANY (h.events))`,
  );
}

/**
 * Parts of a WITH for a statement that is made anyway: the event is written only where somebody wants to hear of it, so
 * that what happens with every message costs no statement of its own.
 *
 * told  a SELECT of session_id, type, payload
 */
export function tellWanted(told: SQL): SQL {
  return tell(told, sql`WHERE EXISTS (SELECT 1 FROM hook_subscribers h WHERE ${isWanted('told.type')})`);
}

/** The same for an event that is written in any case. */
export function tell(told: SQL, where: SQL = sql``): SQL {
  return sql`told (session_id, type, payload) AS (${told}),
        event AS (
          INSERT INTO events (session_id, type, payload)
          SELECT told.session_id, told.type, told.payload FROM told ${where}
          RETURNING session_id, id, type),
        told_to AS (
          INSERT INTO hook_deliveries (session_id, event_id, subscriber)
          SELECT event.session_id, event.id, h.name FROM event JOIN hook_subscribers h ON ${isWanted('event.type')})`;
}
