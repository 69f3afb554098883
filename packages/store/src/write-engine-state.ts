/** What engines keep beside the transcript: typed tables where an engine has some, else its JSON in engine_state. */
import { cleanDeep, type DcpChange, type EngineStateChange, type LcmChange } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, together, type Transaction } from './database.ts';
import { writeDcp } from './dcp/write-dcp.ts';
import { writeLcm } from './lcm/write-lcm.ts';

/** Where a change comes from: `compactionId` is the ledger row of the plan it came with, null for a round or a command. */
export interface StateOrigin {
  sessionId: string;
  compactionId: number | null;
}

/**
 * Apply state changes in their order; none writes nothing. The session's revision rises with each of dcp and of the plug-ins.
 * What lcm stores without a plan (telemetry, debt, files) is no part of a context; with a plan the plan raises it.
 */
export async function writeEngineStates(
  tx: Transaction,
  origin: StateOrigin,
  changes: readonly EngineStateChange[] | undefined,
): Promise<void> {
  for (const change of changes ?? []) {
    if (change.engine === 'lcm') await writeLcm(tx, origin, change.json as LcmChange);
    else if (change.engine === 'dcp') await writeDcp(tx, origin, change.json as DcpChange);
    else await writeJson(tx, origin.sessionId, change);
  }
}

/** Replace the state of one engine of the session; its own revision and the session's rise. */
async function writeJson(tx: Transaction, sessionId: string, change: EngineStateChange): Promise<void> {
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
