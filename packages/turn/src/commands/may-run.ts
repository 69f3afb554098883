import { tierOfTurn } from '@palimpsest/agent';
import { isForUsers, type MailboxRow } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';

/** Whether who sent a row may run a command by that name: the operator keeps some for admins. */
export function mayRun({ deps }: Pick<ClaimedSession, 'deps'>, row: MailboxRow, name: string): boolean {
  const { chat, content } = row;
  const { platform } = chat.account;
  if (content.kind === 'operator' || isForUsers(deps.config, platform, name)) return true;
  const session = { platform, chatKind: chat.place.kind };
  return tierOfTurn({ session, senderIds: [content.message.senderId] }, deps.config) === 'admin';
}
