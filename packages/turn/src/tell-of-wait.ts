import { accountKey, type Turn } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { noticeIn } from './texts.ts';

/** Shorter waits are not noticed; most summaries that a message is held for take longer. */
const quietMs = 3_000;

/** Whoever waits for a summary for more than a moment is told what for, once a turn. */
export async function tellingOfWait<T>(
  claimed: ClaimedSession,
  { turn, signal }: { turn: Turn | null; signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  const served = new AbortController();
  void tellOfWait(claimed, turn, AbortSignal.any([signal, served.signal]));
  try {
    return await work();
  } finally {
    served.abort();
  }
}

/** `over` fires when the wait ends. */
async function tellOfWait(claimed: ClaimedSession, turn: Turn | null, over: AbortSignal): Promise<void> {
  const { deps } = claimed;
  if (!turn || !deps.config.compression.notices) return;
  await deps.clock.sleep(quietMs, over);
  if (over.aborted) return;
  const key = `condensing-${turn.id}`;
  const text = noticeIn(turn.chat, 'condensing');
  try {
    await deps.store.turns.addReplies(claimed.lease, [
      { key, chat: turn.chat, kind: 'notice', text, turnId: turn.id },
    ]);
    await deps.queue.deliver(accountKey(turn.chat.account));
  } catch {
    // A line about a wait is not worth the turn; whatever is wrong, its own writes meet it.
  }
}
