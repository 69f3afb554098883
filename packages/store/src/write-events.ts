/** events: written in the transaction of what they speak of. */
import { cleanDeep, type GatewayEvent } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, together, type Transaction } from './database.ts';

/** Write events in the order given. */
export async function writeEvents(tx: Transaction, events: readonly GatewayEvent[]): Promise<void> {
  await together(() =>
    events.map((event) =>
      run(
        tx,
        sql`INSERT INTO events (session_id, type, payload)
            VALUES (${event.sessionId}, ${event.type}, ${JSON.stringify(cleanDeep(event))}::jsonb)`,
        'write_event',
      ),
    ),
  );
}
