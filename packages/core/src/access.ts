import type { ChatPlace, Platform, Sender } from './chat.ts';

/** What the config says of a chat, or of a thread in it; null: as everywhere. */
export interface ChatRules {
  instructions: string | null;
  allowed_users: readonly string[] | null;
  require_mention: boolean | null;
  sessions_per_user: boolean | null;
  ignored: boolean;
}

/** The lists of the config for one platform. Ids are the platform's numeric ids as text. */
export interface AccessLists {
  allowAll: boolean;
  allowedUsers: readonly string[];
  /** Who may speak in groups; null or left out: the same people. */
  groupUsers?: readonly string[] | null;
  /** Filters groups; never authorises a user. Empty = every group an allowed user speaks in. */
  allowedChats: readonly string[];
  /** By CHAT or CHAT/THREAD. */
  chats?: Readonly<Record<string, ChatRules>>;
}

/** `paired`: let in by a one-time code, for direct messages only. */
export type UserGrant = 'allow' | 'paired' | 'deny';

/** What operators granted or took away by command; it beats the config's lists, a deny beats everything. */
export interface AccessGrants {
  user: UserGrant | null;
  chat: 'allow' | 'deny' | null;
}

export type AccessDecision = { kind: 'allow' } | { kind: 'deny'; reason: DenyReason };

export type DenyReason = 'not_allowlisted' | 'denied_by_operator' | 'chat_not_allowed';

export interface AccessQuestion {
  platform: Platform;
  sender: Pick<Sender, 'id'>;
  place: Pick<ChatPlace, 'chatId' | 'kind'> & { threadId?: string };
  lists: AccessLists;
  grants: AccessGrants;
}

/** A decision with the steps that led to it, in words for operators. */
export interface AccessPath {
  decision: AccessDecision;
  steps: readonly string[];
}

/** The one authoriser, asked at intake and again before the turn. Deny by default; names are never compared. */
export function decideAccess(question: AccessQuestion): AccessDecision {
  return walk(question, () => {});
}

/** The same decision, step by step. */
export function traceAccess(question: AccessQuestion): AccessPath {
  const steps: string[] = [];
  const decision = walk(question, (step) => steps.push(step));
  return { decision, steps };
}

function walk(question: AccessQuestion, note: (step: string) => void): AccessDecision {
  const { sender, place, grants } = question;
  if (grants.user === 'deny' || grants.chat === 'deny') {
    note(
      `an operator denied ${grants.user === 'deny' ? `person ${sender.id}` : `chat ${place.chatId}`}: no, whatever else holds`,
    );
    return { kind: 'deny', reason: 'denied_by_operator' };
  }
  // The local pages have their own door: loopback, Host and Origin checks, a password elsewhere.
  if (question.platform === 'local') return { kind: 'allow' };
  note(`no operator denied person ${sender.id} or chat ${place.chatId}`);
  const because = place.kind === 'direct' ? whyDirect(question) : whyInGroup(question);
  note(
    because ??
      `person ${sender.id} is in no list that counts ${place.kind === 'direct' ? 'in direct messages' : 'in this group'}, and no operator let them in: no`,
  );
  if (because === null) return { kind: 'deny', reason: 'not_allowlisted' };
  if (place.kind === 'direct') return { kind: 'allow' };
  return inListedChat(question, note);
}

function inListedChat(
  { place, lists, grants }: AccessQuestion,
  note: (step: string) => void,
): AccessDecision {
  const isListed = lists.allowedChats.includes(place.chatId);
  if (lists.allowedChats.length === 0) note('allowed_chats is empty: every group counts');
  else if (isListed) note(`chat ${place.chatId} is in allowed_chats`);
  else if (grants.chat === 'allow') note(`an operator let chat ${place.chatId} in`);
  else {
    note(`allowed_chats names other groups, not ${place.chatId}: no`);
    return { kind: 'deny', reason: 'chat_not_allowed' };
  }
  return { kind: 'allow' };
}

/** Why somebody may write directly; null: they may not. */
function whyDirect({ sender, lists, grants }: AccessQuestion): string | null {
  if (lists.allowAll) return 'allow_all: anyone may';
  if (grants.user === 'allow') return `an operator let person ${sender.id} in`;
  if (lists.allowedUsers.includes(sender.id)) return `person ${sender.id} is in allowed_users`;
  return grants.user === 'paired'
    ? `person ${sender.id} was let in with a pairing code, for direct messages`
    : null;
}

/** Why somebody may speak in a group; the list of the thread or chat stands in the place of all others. */
function whyInGroup({ sender, place, lists, grants }: AccessQuestion): string | null {
  const own = chatRule(lists.chats, place, 'allowed_users');
  if (own !== null)
    return own.includes(sender.id) ? `person ${sender.id} is in allowed_users of this chat` : null;
  if (lists.allowAll) return 'allow_all: anyone may';
  if (grants.user === 'allow') return `an operator let person ${sender.id} in`;
  const listed = lists.groupUsers ?? null;
  if (listed !== null)
    return listed.includes(sender.id) ? `person ${sender.id} is in group_allowed_users` : null;
  return lists.allowedUsers.includes(sender.id) ? `person ${sender.id} is in allowed_users` : null;
}

/** What the config says of a thread, else of its chat; null: nothing. */
export function chatRule<Key extends keyof ChatRules>(
  chats: Readonly<Record<string, ChatRules>> | undefined,
  place: { chatId: string; threadId?: string },
  key: Key,
): ChatRules[Key] | null {
  if (chats === undefined) return null;
  const ofThread = place.threadId ? (chats[`${place.chatId}/${place.threadId}`]?.[key] ?? null) : null;
  return ofThread ?? chats[place.chatId]?.[key] ?? null;
}
