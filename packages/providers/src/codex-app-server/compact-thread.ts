import type { ModelEvent, ThreadCompaction } from '@palimpsest/core';

import { failure } from '../errors/classify.ts';
import type { AppServerHelp } from './app-server-help.ts';
import { followTurn } from './follow-turn.ts';
import type { OpenThread } from './thread-book.ts';

/** The whole of a thread is read and summed up in one go: silence is normal for a while, ms. */
const idleMs = 300_000;
/** After a failure we do not begin one of our own accord in that thread for this long, ms; a person may ask for one. */
const restMs = 600_000;

/**
 * Have the server condense a thread and wait for its end: the compaction's item and then its turn. An answer to the
 * request alone says nothing, it comes at once.
 */
export async function compactThread(
  { threadId }: OpenThread,
  signal: AbortSignal,
  own: AppServerHelp,
): Promise<ThreadCompaction> {
  const { server, threads, help } = own;
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
    if (end.type === 'failed' || !seen) {
      if (!signal.aborted) own.restUntil.set(threadId, help.clock.now().getTime() + restMs);
      const unsaid = failure('server_error', 'the Codex app-server');
      return { kind: 'failed', failure: end.type === 'failed' ? end.failure : unsaid };
    }
    threads.note(threadId, { contextTokens: progress.contextTokens });
    const { type: _type, ...compaction } = seen;
    return { kind: 'compacted', ...compaction, tokensAfter: progress.contextTokens };
  }
}
