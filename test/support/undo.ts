/** Compactions taken back through the store. */
import type { CompactionUndo } from '@palimpsest/core';
import { someFigures } from './plans.ts';
import type { StoreWorld, TestSession } from './store-world.ts';

/** Take one back as /undo_compaction does; the id of the undo's own ledger row. */
export function undoOf(
  world: StoreWorld,
  session: TestSession,
  wish: Pick<CompactionUndo, 'compactionId'> & Partial<CompactionUndo>,
): Promise<number> {
  const undo: CompactionUndo = {
    opened: {
      sessionId: session.sessionId,
      epoch: session.lease.epoch,
      engine: 'compressor',
      layer: 'manual',
      trigger: 'undo',
      windowTokens: 16_000,
      windowSource: 'table',
      thresholdRaw: 0.5,
      triggerTokens: 8_000,
      mainModel: 'main-model',
    },
    figures: { ...someFigures, tokensBefore: 3_000, tokensAfter: 9_000 },
    request: null,
    ...wish,
  };
  return world.compactions.undo(session.lease, undo, []);
}

/** Every column of every row of the session but those that say in which state it is. */
export function rowsAsStored(world: StoreWorld, sessionId: string): Promise<Record<string, unknown>[]> {
  return world.query(
    `SELECT id, seq, role, kind, sender_id, sender_name, sent_at, turn_id, step, part, parts::text, tool_call_id,
       tool_call_ids, tokens, replaces, platform_message_id, created_at FROM messages WHERE session_id = $1 ORDER BY seq`,
    [sessionId],
  );
}

/** State columns by text of the row, seq order. */
export async function statesOf(world: StoreWorld, sessionId: string): Promise<unknown[][]> {
  const rows = await world.query<{
    text: string;
    active: number;
    compacted: number;
    archived_by: string | null;
  }>(
    `SELECT parts->0->>'text' AS text, active, compacted, archived_by FROM messages WHERE session_id = $1 ORDER BY seq`,
    [sessionId],
  );
  return rows.map((row) => [row.text, Number(row.active), Number(row.compacted), row.archived_by]);
}
