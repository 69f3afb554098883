/** dcp_block, dcp_mark: the blocks of one compaction are taken back. */
import { sql } from 'drizzle-orm';
import { run, together, type Transaction } from '../database.ts';
import { raiseDcpVersion } from './taint-blocks.ts';
import { writeDcpEvents } from './write-dcp.ts';

/**
 * Turn off the blocks that came with a compaction, as a person's decompress does, and take the marks that came with them
 * away: what they hid is shown again word for word. Inside a transaction that holds the session row's lock. Compactions of
 * other engines have none.
 */
export async function undoBlocks(tx: Transaction, sessionId: string, compactionId: number): Promise<void> {
  const blocks = await run<{ number: number; run: number }>(
    tx,
    sql`UPDATE dcp_block SET status = 'user_off'
        WHERE session_id = ${sessionId} AND compaction_id = ${compactionId}::bigint AND status = 'on' RETURNING number, run`,
    'dcp_undo_blocks',
  );
  if (blocks.length === 0) return;
  const names = blocks.map((block) => `b${block.number}`).sort();
  await together(() => [
    run(
      tx,
      sql`DELETE FROM dcp_mark WHERE session_id = ${sessionId} AND run = ANY(${sql.param(blocks.map((block) => block.run))}::bigint[])`,
      'dcp_undo_marks',
    ),
    raiseDcpVersion(tx, sessionId),
    writeDcpEvents(tx, sessionId, [{ kind: 'decompress', detail: { blocks: names, compactionId } }]),
  ]);
}
