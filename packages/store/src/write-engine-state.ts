/** engine_state: what an engine keeps beside the transcript. */
import { cleanDeep, type EngineStateChange } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, together, type Transaction } from './database.ts';

/** Replace the state of one engine of the session; its own revision and the session's rise. Undefined changes nothing. */
export async function writeEngineState(
  tx: Transaction,
  sessionId: string,
  change: EngineStateChange | undefined,
): Promise<void> {
  if (change === undefined) return;
  await together(() => [
    run(
      tx,
      sql`INSERT INTO engine_state (session_id, engine, state)
        VALUES (${sessionId}, ${change.engine}, ${JSON.stringify(cleanDeep(change.json ?? null))}::jsonb)
        ON CONFLICT (session_id, engine)
        DO UPDATE SET state = EXCLUDED.state, revision = engine_state.revision + 1, updated_at = now()`,
      'write_engine_state',
    ),
    run(tx, sql`UPDATE sessions SET revision = revision + 1 WHERE id = ${sessionId}`, 'raise_revision'),
  ]);
}
