import type { ChatPlace, Platform, Sender } from './chat.ts';

/** The lists of the config for one platform. Ids are the platform's numeric ids as text. */
export interface AccessLists {
  allowAll: boolean;
  allowedUsers: readonly string[];
  /** Filters groups; never authorises a user. Empty = every group an allowed user speaks in. */
  allowedChats: readonly string[];
}

/** What operators granted or took away by command; it beats the config's lists, a deny beats everything. */
export interface AccessGrants {
  user: 'allow' | 'deny' | null;
  chat: 'allow' | 'deny' | null;
}

export type AccessDecision = { kind: 'allow' } | { kind: 'deny'; reason: DenyReason };

export type DenyReason = 'not_allowlisted' | 'denied_by_operator' | 'chat_not_allowed';

/** The one authoriser, asked at intake and again before the turn. Deny by default; names are never compared. */
export function decideAccess(input: {
  platform: Platform;
  sender: Pick<Sender, 'id'>;
  place: Pick<ChatPlace, 'chatId' | 'kind'>;
  lists: AccessLists;
  grants: AccessGrants;
}): AccessDecision {
  const { sender, place, lists, grants } = input;
  if (grants.user === 'deny' || grants.chat === 'deny') return { kind: 'deny', reason: 'denied_by_operator' };
  // The local pages have their own door: loopback, Host and Origin checks, a password elsewhere.
  if (input.platform === 'local') return { kind: 'allow' };
  const userAllowed = lists.allowAll || grants.user === 'allow' || lists.allowedUsers.includes(sender.id);
  if (!userAllowed) return { kind: 'deny', reason: 'not_allowlisted' };
  if (place.kind === 'direct' || lists.allowedChats.length === 0) return { kind: 'allow' };
  const chatAllowed = grants.chat === 'allow' || lists.allowedChats.includes(place.chatId);
  return chatAllowed ? { kind: 'allow' } : { kind: 'deny', reason: 'chat_not_allowed' };
}
