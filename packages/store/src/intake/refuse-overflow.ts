/** A mailbox has a bound: what comes beyond it is not taken, and its sender hears so. */
import type { IntakePolicy, NewReply } from '@palimpsest/core';
import type { Transaction } from '../database.ts';
import { writeReplies } from '../write-replies.ts';
import { refused, type Verdict } from './judge.ts';
import type { LockedPlace } from './places.ts';

interface Placed {
  update: { updateKey: string };
  verdict: Verdict;
  place: LockedPlace | null;
}

/** Refuse messages for which there is no room; commands always have some. Counts up what waits in each place. */
export function refuseOverflow<Update extends Placed>(policy: IntakePolicy, update: Update): Update {
  const { verdict, place } = update;
  if (policy.bound === undefined || place === null || verdict.kind !== 'message') return update;
  if (place.seqs.waiting < policy.bound.messages) {
    place.seqs.waiting++;
    return update;
  }
  return { ...update, verdict: refused('ignored', 'mailbox_full', verdict.content) };
}

/** Once for each time that a mailbox is full: no seq is given away while it is. */
export async function tellOverflow(
  tx: Transaction,
  policy: IntakePolicy,
  fresh: readonly Placed[],
): Promise<void> {
  const full = new Map<string, { reply: NewReply; sessionId: string }>();
  for (const { verdict, place } of fresh) {
    if (verdict.kind !== 'refused' || verdict.reason !== 'mailbox_full') continue;
    const { chat, sender } = verdict.origin;
    if (!policy.bound || !chat || !place) continue;
    const { chatRowId, sessionId, seqs } = place;
    const key = `full-${chatRowId}-${seqs.next}`;
    const target = { chatRowId, account: policy.account, place: chat };
    full.set(key, {
      reply: {
        key,
        chat: target,
        kind: 'notice',
        text: policy.bound.text(chat.kind === 'direct' ? sender?.language : undefined),
      },
      sessionId,
    });
  }
  for (const { reply, sessionId } of full.values()) await writeReplies(tx, sessionId, [reply]);
}
