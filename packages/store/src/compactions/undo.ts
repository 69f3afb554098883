/** The other transaction that changes a transcript: one compaction is taken back. */
import { type CompactionUndo, GatewayError, type NewReply } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, runOne, type Transaction } from '../database.ts';
import { undoBlocks } from '../dcp/undo-blocks.ts';
import { undoLcm } from '../lcm/undo-lcm.ts';
import type { SessionRecord } from '../session-row.ts';
import { closeRequest } from '../turns/finish-command.ts';
import { writeReplies } from '../write-replies.ts';
import { undoGround } from './undo-ground.ts';

export interface UndoToWrite extends CompactionUndo {
  replies: readonly NewReply[];
}

/**
 * Take a compaction back inside a transaction that holds the session row's lock (withLease). No row's text, seq or
 * search piece is touched: archived rows are live again, written ones withdrawn.
 *
 * returns  the id of the undo's own ledger row
 * throws   undo_refused; the transaction must then be rolled back
 */
export async function undo(tx: Transaction, session: SessionRecord, undone: UndoToWrite): Promise<number> {
  await refuseUnlessNewest(tx, session.id, undone.compactionId);
  await undoLcm(tx, session.id, undone.compactionId);
  await moveRows(tx, session.id, undone.compactionId);
  await undoBlocks(tx, session.id, undone.compactionId);
  const undoId = await writeLedgerRow(tx, session, undone);
  await run(
    tx,
    sql`UPDATE compactions SET undone_by = ${undoId}::bigint
      WHERE session_id = ${session.id} AND id = ${undone.compactionId}::bigint`,
    'mark_undone',
  );
  await restSession(tx, session.id);
  await run(tx, sql`DELETE FROM prepared_compactions WHERE session_id = ${session.id}`, 'drop_prepared');
  if (undone.request) await closeRequest(tx, session.id, undone.request);
  await writeReplies(tx, session.id, undone.replies);
  tx.notices.add([{ kind: 'compaction', sessionId: session.id }]);
  return undoId;
}

async function refuseUnlessNewest(tx: Transaction, sessionId: string, compactionId: number): Promise<void> {
  const ground = await undoGround(tx, sessionId);
  if (ground?.compactionId !== compactionId) {
    const seen = ground === null ? 'none stands' : `the newest that stands is ${ground.compactionId}`;
    throw refusal(`compaction ${compactionId} of session ${sessionId} cannot be taken back: ${seen}`);
  }
  if (!ground.inPlace)
    throw refusal(
      `compaction ${compactionId} of session ${sessionId} cannot be taken back: it was a rotation`,
    );
  if (!ground.isUntouched)
    throw refusal(
      `compaction ${compactionId} of session ${sessionId} cannot be taken back: rows it wrote were changed since`,
    );
}

function refusal(problem: string): GatewayError {
  return new GatewayError('undo_refused', `${problem}. The older lines stay searchable.`);
}

async function moveRows(tx: Transaction, sessionId: string, compactionId: number): Promise<void> {
  await run(
    tx,
    sql`UPDATE messages SET active = 0, compacted = 0
      WHERE session_id = ${sessionId} AND active = 1 AND id = ANY(
        SELECT unnest(written_rows) FROM compactions WHERE session_id = ${sessionId} AND id = ${compactionId}::bigint)`,
    'withdraw_written',
  );
  await run(
    tx,
    sql`UPDATE messages SET active = 1, compacted = 0, archived_by = NULL
      WHERE session_id = ${sessionId} AND archived_by = ${compactionId}::bigint`,
    'restore_archived',
  );
}

async function writeLedgerRow(tx: Transaction, session: SessionRecord, undone: UndoToWrite): Promise<number> {
  const { opened, figures } = undone;
  const row = await runOne<{ id: number }>(
    tx,
    sql`INSERT INTO compactions (session_id, epoch_before, epoch_after, engine, layer, trigger, outcome, window_tokens,
        window_source, threshold_raw, trigger_tokens, main_model, cache_share_before, figures, user_notified, started_at, finished_at, duration_ms)
      VALUES (${session.id}, ${opened.epoch}::bigint, ${session.epoch}::bigint, ${opened.engine}, ${opened.layer},
        ${opened.trigger}, 'success', ${Math.round(opened.windowTokens)}::int, ${opened.windowSource},
        ${opened.thresholdRaw}::float8, ${Math.round(opened.triggerTokens)}::int, ${opened.mainModel},
        ${opened.cacheShareBefore ?? null}::float8, ${JSON.stringify(figures)}::jsonb, ${undone.replies.length > 0}::boolean, now(), clock_timestamp(),
        (extract(epoch FROM clock_timestamp() - now()) * 1000)::int)
      RETURNING id`,
    'write_undo',
  );
  return (row as { id: number }).id;
}

/** The note goes with the last compaction that summed something up; clearing old tool output never set it. */
async function restSession(tx: Transaction, sessionId: string): Promise<void> {
  await run(
    tx,
    sql`UPDATE sessions SET revision = revision + 1, last_prompt_tokens = 0, last_output_tokens = 0, last_priced_seq = 0,
        rest_after_seq = next_seq - 1, updated_at = now(),
        system_note = CASE WHEN EXISTS (SELECT 1 FROM compactions k WHERE k.session_id = ${sessionId}
          AND k.figures IS NOT NULL AND k.undone_by IS NULL AND k.trigger <> 'undo' AND k.outcome <> 'fallback_trim')
          THEN system_note END
      WHERE id = ${sessionId}`,
    'rest_session',
  );
}
