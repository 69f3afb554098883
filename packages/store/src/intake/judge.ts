/** Decide what becomes of one update. No I/O. */
import {
  type AccessGrants,
  type ChatPlace,
  decideAccess,
  type IncomingEdit,
  type IncomingMessage,
  type IncomingUpdate,
  type IntakePolicy,
  never,
  type Sender,
  type SignalKind,
} from '@palimpsest/core';

export type Verdict =
  | { kind: 'message' | 'command'; content: IncomingMessage }
  | { kind: 'signal'; signal: SignalKind; content: IncomingMessage }
  | { kind: 'edit'; content: IncomingEdit }
  | { kind: 'deleted'; chatId: string; messageIds: readonly string[] }
  | { kind: 'moved'; fromChatId: string; toChatId: string }
  | { kind: 'refused'; status: 'denied' | 'ignored' | 'unparsed'; reason: string; origin: Origin };

/** Ids only: what may be kept of somebody who was refused. */
export interface Origin {
  chat?: ChatPlace;
  sender?: Sender;
  messageId?: string;
}

/** What operators granted, for every user and chat of the batch. */
export type FindGrants = (userId: string, chatId: string) => AccessGrants;

/** Commands that act at once, past the mailbox. */
const signals: readonly string[] = ['stop', 'status', 'queue'] satisfies SignalKind[];
/** Commands of the mailbox that end what runs and go before whatever waits, which they take back. */
export const urgentCommands: readonly string[] = ['new', 'reset'];

export function judge(policy: IntakePolicy, update: IncomingUpdate, grants: FindGrants): Verdict {
  const { content } = update;
  switch (content.kind) {
    case 'message':
    case 'edit':
      return judgeSpoken(policy, content, grants);
    case 'deleted':
      return { kind: 'deleted', chatId: content.chatId, messageIds: content.messageIds };
    case 'chat_migrated':
      return { kind: 'moved', fromChatId: content.fromChatId, toChatId: content.toChatId };
    case 'ignored':
      return refused('ignored', content.reason, { chat: content.chat, sender: content.sender });
    case 'unparsed':
      return refused('unparsed', content.problem, {});
    default:
      return never(content);
  }
}

function judgeSpoken(
  policy: IntakePolicy,
  content: IncomingMessage | IncomingEdit,
  grants: FindGrants,
): Verdict {
  const { chat, sender, messageId } = content;
  const origin: Origin = { chat, sender, messageId };
  if (sender.isBot) return refused('ignored', 'bot_author', origin);
  // What is not meant for us is nobody's failed attempt to talk to us.
  const isAddressed =
    content.kind === 'edit' || content.addressed || chat.kind === 'direct' || !policy.requireMention;
  if (!isAddressed) return refused('ignored', 'not_addressed', origin);
  const access = decideAccess({
    platform: policy.account.platform,
    sender,
    place: chat,
    lists: policy.lists,
    grants: grants(sender.id, chat.chatId),
  });
  if (access.kind === 'deny') return refused('denied', access.reason, origin);
  if (content.kind === 'edit') return { kind: 'edit', content };
  if (content.command === undefined) return { kind: 'message', content };
  const { name } = content.command;
  return isSignal(name) ? { kind: 'signal', signal: name, content } : { kind: 'command', content };
}

function isSignal(name: string): name is SignalKind {
  return signals.includes(name);
}

/** A verdict that keeps ids only. */
export function refused(status: 'denied' | 'ignored' | 'unparsed', reason: string, origin: Origin): Verdict {
  return { kind: 'refused', status, reason, origin };
}

/** What `judge` let through as said by somebody. */
export type Spoken = Extract<Verdict, { content: unknown }>;

export function isSpoken(verdict: Verdict): verdict is Spoken {
  return 'content' in verdict;
}
