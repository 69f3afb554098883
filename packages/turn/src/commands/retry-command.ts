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
  const { turns } = claimed.deps.store;
  const { rows } = claimed.view;
  const last = rows.findLastIndex((one) => one.kind === 'person');
  const person = rows[last];
  if (person === undefined) return 'There is nothing to answer again.';
  const isCondensed = person.seq <= (await turns.summaryEnd(claimed.session.id));
  // Rows of before a rotation no longer know their turn.
  if (isCondensed || person.turnId === undefined) return condensedText;
  await turns.retryTurn(claimed.lease, {
    turnId: person.turnId,
    lastPersonSeq: person.seq,
    row,
    replies: [replyWith('Your last message is answered again; the answer before no longer counts.')],
  });
  await claimed.refresh();
  return null;
}
