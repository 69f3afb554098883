/** What is told of an erasure: an event, and whoever asked. */
import type { ErasedCounts, EraseRequest } from '@palimpsest/core';
import type { Transaction } from '../database.ts';
import { closeRequest } from '../turns/finish-command.ts';
import { writeEvents } from '../write-events.ts';
import { writeReplies } from '../write-replies.ts';
import type { ErasedSession } from './lock-sessions.ts';

export async function writeErasure(
  tx: Transaction,
  sessions: readonly ErasedSession[],
  { scope, counts }: { scope: 'message' | 'session' | 'person'; counts: ErasedCounts },
): Promise<void> {
  const { messages, summaries } = counts;
  const events = sessions.map(
    ({ id: sessionId, platform }) =>
      ({ type: 'session:erase', sessionId, platform, scope, messages, summaries }) as const,
  );
  await writeEvents(tx, events);
  tx.notices.add(sessions.map(({ id: sessionId }) => ({ kind: 'compaction', sessionId })));
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
