import type { MailboxRow } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { countErased } from '../declined.ts';

/**
 * A message was deleted where it was said; the request names it by the platform's id. Nobody in the chat is told: whoever
 * deleted it knows.
 */
export async function eraseMessageCommand(
  claimed: ClaimedSession,
  row: MailboxRow,
  messageId: string,
): Promise<void> {
  const message = { chatRowId: row.chat.chatRowId, messageId };
  const counts = await claimed.deps.store.erase.message(claimed.lease, message, {
    row,
    answer: (done) => `Erased ${done.messages} messages, ${done.quotes} quotes, ${done.summaries} summaries.`,
  });
  countErased(claimed, counts);
  claimed.view.forget();
  await claimed.refresh();
  claimed.deps.logger.info({ sessionId: claimed.session.id, ...counts }, 'a deleted message was erased');
}
