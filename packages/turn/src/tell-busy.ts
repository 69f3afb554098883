import { notice, accountKey, type BusyMode, type Turn } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';

type Mode = Exclude<BusyMode, 'interrupt'>;

const texts: Readonly<Record<Mode, string>> = {
  collect:
    'I am still writing. What you send meanwhile is answered together, right after; /stop ends the answer.',
  followup:
    'I am still writing. What you send meanwhile is answered one by one, right after; /stop ends the answer.',
  steer: 'I am at it. What you send meanwhile reaches me at my next step, else it is answered right after.',
};

/** Tell the person, once a turn, what becomes of a message that came while it runs. */
export async function tellBusy(claimed: ClaimedSession, turn: Turn, mode: Mode): Promise<void> {
  const reply = {
    key: `busy-${turn.id}`,
    chat: turn.chat,
    kind: 'notice',
    text: notice(texts[mode]),
  } as const;
  await claimed.deps.store.turns.addReplies(claimed.lease, [reply]);
  await claimed.deps.queue.deliver(accountKey(turn.chat.account));
}
