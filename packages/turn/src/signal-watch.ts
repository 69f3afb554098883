import { accountKey, LeaseLost, type Turn } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { statusReply } from './commands/status-reply.ts';

/** How soon /stop and /status act in a running turn. One indexed query per running turn and interval. */
const everyMs = 400;

/** Reads the session's signals while a turn runs: /stop aborts it with reason 'stop', /status is answered at once. */
export function watchSignals(
  claimed: ClaimedSession,
  turn: Turn,
): { signal: AbortSignal; stop(): Promise<void> } {
  const stopped = new AbortController();
  const { deps } = claimed;
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(look);
  }, everyMs);

  async function look(): Promise<void> {
    try {
      for (const signal of await deps.store.turns.takeSignals(claimed.lease)) {
        if (signal.kind === 'stop') stopped.abort('stop');
        else {
          const text = await statusReply(claimed, turn);
          await deps.store.turns.addReplies(claimed.lease, [
            { key: `signal-${signal.id}`, chat: signal.chat, kind: 'notice', text },
          ]);
          await deps.queue.deliver(accountKey(signal.chat.account));
        }
      }
    } catch (thrown) {
      // A lost lease is noticed by the next write of the turn itself.
      if (!(thrown instanceof LeaseLost))
        deps.logger.warn({ sessionId: turn.sessionId }, 'signals could not be read; trying again');
    }
  }

  return {
    signal: stopped.signal,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
