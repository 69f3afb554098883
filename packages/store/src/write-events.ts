/** events and hook_deliveries: written in the transaction of what they speak of. */
import { cleanDeep, type GatewayEvent } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
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
              ON cardinality(h.events) = 0 OR event.type = ANY (h.events)`,
        'write_event',
      ),
    ),
  );
}
