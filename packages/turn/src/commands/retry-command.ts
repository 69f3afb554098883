import type { MailboxRow, NewReply } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { sayTo } from '../texts.ts';

/**
 * /retry: the last answer is taken back, and the same messages are answered anew by the turn that comes next.
 * returns  why nothing was done, which is left to tell; null when it was done
 */
export async function retryCommand(
  claimed: ClaimedSession,
  row: MailboxRow,
  replyWith: (text: string) => NewReply,
): Promise<string | null> {
  const say = sayTo(row);
  if (row.content.kind === 'operator') return say('retryPeopleOnly');
  const { message } = row.content;
  const { turns } = claimed.deps.store;
  const { rows } = claimed.view;
  const last = rows.findLastIndex((one) => one.kind === 'person');
  const person = rows[last];
  if (person === undefined) return say('retryNothing');
  const isCondensed = person.seq <= (await turns.summaryEnd(claimed.session.id));
  // Rows of before a rotation no longer know their turn.
  if (isCondensed || person.turnId === undefined) return say('retryCondensed');
  // What others wrote would be answered with their rights.
  const senders = rows.filter((one) => one.kind === 'person' && one.turnId === person.turnId);
  const isOwn = senders.some(({ sender }) => sender?.id === message.senderId);
  if (row.chat.place.kind === 'group' && !isOwn) return say('retryNotYours');
  await turns.retryTurn(claimed.lease, {
    turnId: person.turnId,
    lastPersonSeq: person.seq,
    row,
    replies: [replyWith(say('retried'))],
  });
  await claimed.refresh();
  return null;
}
