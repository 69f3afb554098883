import type { ModelEvent, ThreadCompaction } from '@palimpsest/core';

import { failure } from '../errors/classify.ts';
import type { AppServerHelp } from './app-server-help.ts';
import { followTurn } from './follow-turn.ts';
import type { OpenThread } from './thread-book.ts';

/** The whole of a thread is read and summed up in one go: silence is normal for a while, ms. */
const idleMs = 300_000;

/**
 * Have the server condense a thread and wait for its end: the compaction's item and then its turn. An answer to the
 * request alone says nothing, it comes at once.
 */
export async function compactThread(
  { threadId }: OpenThread,
  signal: AbortSignal,
  { server, threads, help }: AppServerHelp,
): Promise<ThreadCompaction> {
  const turn = followTurn(server, {
    threadId,
    method: 'thread/compact/start',
    params: { threadId },
    signal,
    idleMs,
    clock: help.clock,
  });
  let seen: Extract<ModelEvent, { type: 'compaction' }> | null = null;
  for (;;) {
    const step = await turn.next();
    if (!step.done) {
      if (step.value.type === 'compaction') seen = step.value;
      continue;
    }
    const { end, progress } = step.value;
    if (end.type === 'failed') return { kind: 'failed', failure: end.failure };
    if (!seen) return { kind: 'failed', failure: failure('server_error', 'the Codex app-server') };
    threads.note(threadId, { contextTokens: progress.contextTokens });
    const { type: _type, ...compaction } = seen;
    return { kind: 'compacted', ...compaction, tokensAfter: progress.contextTokens };
  }
}
