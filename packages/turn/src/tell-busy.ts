import { accountKey, type BusyMode, type Turn } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { noticeIn } from './texts.ts';

type Mode = Exclude<BusyMode, 'interrupt'>;

const texts = { collect: 'busyCollect', followup: 'busyFollowup', steer: 'busySteer' } as const;

/** Tell the person, once a turn, what becomes of a message that came while it runs. */
export async function tellBusy(claimed: ClaimedSession, turn: Turn, mode: Mode): Promise<void> {
  const text = noticeIn(turn.chat, texts[mode]);
  const reply = { key: `busy-${turn.id}`, chat: turn.chat, kind: 'notice', text } as const;
  await claimed.deps.store.turns.addReplies(claimed.lease, [reply]);
  await claimed.deps.queue.deliver(accountKey(turn.chat.account));
}
