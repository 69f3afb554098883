import type { MailboxRow, NewReply } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { sayTo, withdrawnText } from '../texts.ts';

/** /reset: this session ends, the chat gets a new one; rows newer than the command move along with it. */
export async function resetSession(
  claimed: ClaimedSession,
  row: MailboxRow,
  replyWith: (text: string) => NewReply,
): Promise<void> {
  const { turns } = claimed.deps.store;
  const said = withdrawnText(row.chat, await turns.withdrawPending(claimed.lease, row.seq));
  claimed.engine.onSessionEnd(claimed.session);
  await turns.finishCommand(claimed.lease, row, { replies: [] });
  const newSessionId = await turns.resetSession(claimed.lease, row.chat, () => [
    replyWith(sayTo(row)('freshConversation') + said),
  ]);
  await claimed.deps.queue.wake(newSessionId);
}
