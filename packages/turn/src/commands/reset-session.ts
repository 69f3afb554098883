import type { MailboxRow } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { notice, withdrawnText } from '../texts.ts';

/** /reset: this session ends, the chat gets a new one; rows newer than the command move along with it. */
export async function resetSession(claimed: ClaimedSession, row: MailboxRow): Promise<void> {
  const { turns } = claimed.deps.store;
  const said = withdrawnText(await turns.withdrawPending(claimed.lease, row.seq));
  claimed.engine.onSessionEnd(claimed.session);
  await turns.finishCommand(claimed.lease, row, { replies: [] });
  const newSessionId = await turns.resetSession(claimed.lease, row.chat, () => [
    {
      key: `command-${claimed.session.id}-${row.seq}`,
      chat: row.chat,
      kind: 'notice',
      text: notice(`A fresh conversation begins.${said}`),
    },
  ]);
  await claimed.deps.queue.wake(newSessionId);
}
