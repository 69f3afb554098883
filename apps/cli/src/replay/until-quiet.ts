import type { HistoryStore } from '@palimpsest/core';
import type { Counterpart } from './counterpart.ts';

const lookEveryMs = 50;
/** Nothing changed for this long although something is left: what is left counts as lost. */
const patienceMs = 60_000;

/** Wait until every message that was sent has been accepted and its answer delivered, or nothing moves any more. */
export async function untilQuiet(
  history: HistoryStore,
  input: { counterpart: Counterpart; sent: number },
): Promise<void> {
  let before = '';
  let changedAt = performance.now();
  for (;;) {
    const { settled, state } = await look(history, input);
    if (settled) return;
    if (state !== before) {
      before = state;
      changedAt = performance.now();
    } else if (performance.now() - changedAt > patienceMs) return;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

async function look(
  history: HistoryStore,
  input: { counterpart: Counterpart; sent: number },
): Promise<{ settled: boolean; state: string }> {
  const sessionIds = await history.sessionsOfChat(input.counterpart.account, input.counterpart.place);
  const accepted = (await Promise.all(sessionIds.map((id) => history.accepted(id)))).flat();
  const open = accepted.filter((message) => {
    const turnOpen = message.state === 'pending' || message.state === 'claimed';
    return (
      turnOpen ||
      (message.replyState !== null &&
        !['sent', 'failed', 'dead', 'cancelled', 'unknown'].includes(message.replyState))
    );
  });
  const settled = open.length === 0 && accepted.length >= input.sent;
  return { settled, state: `${accepted.length}/${open.length}/${input.counterpart.heard().length}` };
}
