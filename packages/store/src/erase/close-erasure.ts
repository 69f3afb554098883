/** What is told of an erasure: an event, and whoever asked. */
import type { ErasedCounts, EraseRequest } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { closeRequest } from '../turns/finish-command.ts';
import { writeReplies } from '../write-replies.ts';

/** In each session that was changed, once it is. */
export async function writeErasure(
  tx: Transaction,
  sessionIds: readonly string[],
  { scope, counts }: { scope: 'message' | 'session' | 'person'; counts: ErasedCounts },
): Promise<void> {
  const { messages, summaries } = counts;
  await run(
    tx,
    sql`INSERT INTO events (session_id, type, payload)
        SELECT id, 'session:erase', jsonb_build_object('type', 'session:erase', 'sessionId', id, 'platform', platform,
          'scope', ${scope}::text, 'messages', ${messages}::int, 'summaries', ${summaries}::int, 'revision', revision)
        FROM sessions WHERE id = ANY(${sql.param([...sessionIds])}::text[]) ORDER BY id`,
    'write_erasure',
  );
  tx.notices.add(sessionIds.map((sessionId) => ({ kind: 'compaction', sessionId })));
}

export async function closeErasure(
  tx: Transaction,
  sessionId: string,
  { request, counts }: { request: EraseRequest | undefined; counts: ErasedCounts },
): Promise<void> {
  if (request === undefined) return;
  const answer = request.answer?.(counts) ?? null;
  await closeRequest(tx, sessionId, { seq: request.row.seq, answer });
  await writeReplies(tx, sessionId, request.replies?.(counts) ?? []);
}
