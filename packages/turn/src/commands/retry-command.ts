import type { MailboxRow, NewReply } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';

const condensedText =
  'What was said last is told in a summary, so it cannot be answered again. Please write it once more.';

/**
 * /retry: the last answer is taken back, and the same messages are answered anew by the turn that comes next.
 * returns  why nothing was done, which is left to tell; null when it was done
 */
export async function retryCommand(
  claimed: ClaimedSession,
  row: MailboxRow,
  replyWith: (text: string) => NewReply,
): Promise<string | null> {
  if (row.content.kind === 'operator')
    return 'Only people in the chat can have their message answered again.';
  const { message } = row.content;
  const { turns } = claimed.deps.store;
  const { rows } = claimed.view;
  const last = rows.findLastIndex((one) => one.kind === 'person');
  const person = rows[last];
  if (person === undefined) return 'There is nothing to answer again.';
  const isCondensed = person.seq <= (await turns.summaryEnd(claimed.session.id));
  // Rows of before a rotation no longer know their turn.
  if (isCondensed || person.turnId === undefined) return condensedText;
  // What others wrote would be answered with their rights.
  const senders = rows.filter((one) => one.kind === 'person' && one.turnId === person.turnId);
  const isOwn = senders.some(({ sender }) => sender?.id === message.senderId);
  if (row.chat.place.kind === 'group' && !isOwn)
    return 'The last message here is not yours; whoever wrote it can have it answered again.';
  await turns.retryTurn(claimed.lease, {
    turnId: person.turnId,
    lastPersonSeq: person.seq,
    row,
    replies: [replyWith('Your last message is answered again; the answer before no longer counts.')],
  });
  await claimed.refresh();
  return null;
}
