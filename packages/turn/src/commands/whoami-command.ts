import { tierOfTurn } from '@palimpsest/agent';
import type { Account, MailboxRow } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { sayTo } from '../texts.ts';
import type { Say } from '../words/say.ts';

/** /whoami: ids for filling allow-lists, what one may do here, and one's linked accounts. */
export async function whoamiCommand({ deps }: ClaimedSession, row: MailboxRow): Promise<string> {
  const { account, place } = row.chat;
  const { platform } = account;
  const isOperator = row.content.kind === 'operator';
  const userId = row.content.kind === 'operator' ? 'operator' : row.content.message.senderId;
  const say = sayTo(row);
  const thread = place.threadId === '' ? '' : say('inThread', { id: place.threadId });
  const kind = say(place.kind === 'direct' ? 'directChat' : 'groupChat');
  const { chatId: chat } = place;
  const ids = say('whoami', { user: userId, platform, account: account.id, chat, thread, kind });
  if (isOperator) return ids;
  const session = { platform, chatKind: place.kind };
  const tier = tierOfTurn({ session, senderIds: [userId] }, deps.config);
  const rights = tier === 'admin' ? say('youAreAdmin') : '';
  // Whose other accounts they are is nobody's business in a group.
  const others = place.kind === 'direct' ? await deps.store.links?.others({ platform, userId }) : [];
  return ids + rights + linkedWords(others ?? [], say);
}

function linkedWords(others: readonly Account[], say: Say): string {
  if (others.length === 0) return '';
  const accounts = others.map(({ platform, userId }) => `${userId} (${platform})`).join(', ');
  return say('linkedWith', { accounts });
}
