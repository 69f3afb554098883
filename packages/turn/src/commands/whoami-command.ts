import { tierOfTurn } from '@palimpsest/agent';
import type { Account, MailboxRow } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';

/** /whoami: ids for filling allow-lists, what one may do here, and one's linked accounts. */
export async function whoamiCommand({ deps }: ClaimedSession, row: MailboxRow): Promise<string> {
  const { account, place } = row.chat;
  const { platform } = account;
  const isOperator = row.content.kind === 'operator';
  const userId = row.content.kind === 'operator' ? 'operator' : row.content.message.senderId;
  const thread = place.threadId === '' ? '' : `, thread ${place.threadId}`;
  const ids = `You are ${userId} on ${platform}, bot account ${account.id}, chat ${place.chatId}${thread} (${place.kind}).`;
  if (isOperator) return ids;
  const session = { platform, chatKind: place.kind };
  const tier = tierOfTurn({ session, senderIds: [userId] }, deps.config);
  const rights = tier === 'admin' ? ' You are an admin here.' : '';
  // Whose other accounts they are is nobody's business in a group.
  const others = place.kind === 'direct' ? await deps.store.links?.others({ platform, userId }) : [];
  return ids + rights + linkedWords(others ?? []);
}

function linkedWords(others: readonly Account[]): string {
  if (others.length === 0) return '';
  return ` Linked with ${others.map(({ platform, userId }) => `${userId} on ${platform}`).join(', ')}.`;
}
