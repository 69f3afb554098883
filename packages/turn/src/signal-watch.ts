import { LeaseLost, type Turn } from '@palimpsest/core';
import { busyModeOf } from './busy-mode.ts';
import type { ClaimedSession } from './claimed-session.ts';
import { answerSignal, endsTurn } from './commands/answer-signal.ts';
import { tellBusy } from './tell-busy.ts';

/** How soon /stop, /status, /queue and an interruption act in a running turn. One indexed query per running turn and interval. */
const everyMs = 400;

/**
 * Reads the session's signals while a turn runs: /stop, or a command that ends what runs, aborts it with reason 'stop', the
 * others are answered at once. A message that comes meanwhile aborts it with 'interrupt' where that is wanted, or is
 * acknowledged.
 */
export function watchSignals(
  claimed: ClaimedSession,
  turn: Turn,
): { signal: AbortSignal; stop(): Promise<void> } {
  const stopped = new AbortController();
  const { deps } = claimed;
  let isTold = !deps.config.display.busy_ack_enabled;
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(look);
  }, everyMs);

  async function look(): Promise<void> {
    try {
      for (const signal of await deps.store.turns.takeSignals(claimed.lease)) {
        const ends = endsTurn(signal, turn);
        if (ends) stopped.abort('stop');
        if (!ends || signal.interaction) await answerSignal(claimed, signal, turn);
      }
      await lookForMail();
    } catch (thrown) {
      // A lost lease is noticed by the next write of the turn itself.
      if (!(thrown instanceof LeaseLost))
        deps.logger.warn({ sessionId: turn.sessionId }, 'signals could not be read; trying again');
    }
  }

  /** The mode may change while the turn runs. */
  async function lookForMail(): Promise<void> {
    const mode = busyModeOf(claimed);
    if (stopped.signal.aborted || (mode !== 'interrupt' && isTold)) return;
    if (!(await deps.store.turns.mailBehind(claimed.session.id, turn))) return;
    if (mode === 'interrupt') return stopped.abort('interrupt');
    isTold = true;
    await tellBusy(claimed, turn, mode);
  }

  return {
    signal: stopped.signal,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
