import { tierOfTurn } from '@palimpsest/agent';
import type { MailboxRow } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';

/** Whether who sent a row may run a command by that name: the operator keeps some for admins. */
export function mayRun({ deps }: Pick<ClaimedSession, 'deps'>, row: MailboxRow, name: string): boolean {
  const { chat, content } = row;
  if (content.kind === 'operator' || !deps.config.commands.admin_only.includes(name)) return true;
  const session = { platform: chat.account.platform, chatKind: chat.place.kind };
  return tierOfTurn({ session, senderIds: [content.message.senderId] }, deps.config) === 'admin';
}
