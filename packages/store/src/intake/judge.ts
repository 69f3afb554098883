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
  passGate,
  type Sender,
  type SignalKind,
} from '@palimpsest/core';
import { placeOf } from './places.ts';

export type Verdict =
  | { kind: 'message' | 'command'; content: IncomingMessage }
  /** Said in a group to others: it may be context for the next answer there. */
  | { kind: 'overheard'; content: IncomingMessage }
  | { kind: 'signal'; signal: SignalKind; content: IncomingMessage }
  | { kind: 'edit'; content: IncomingEdit }
  | { kind: 'deleted'; chatId: string; messageIds: readonly string[] }
  | { kind: 'moved'; fromChatId: string; toChatId: string }
  /** `isStranger`: nobody has decided about the sender, who may be offered a code. */
  | {
      kind: 'refused';
      status: 'denied' | 'ignored' | 'unparsed';
      reason: string;
      origin: Origin;
      isStranger?: boolean;
    };

/** Ids only: what may be kept of somebody who was refused. */
export interface Origin {
  chat?: ChatPlace;
  sender?: Sender;
  messageId?: string;
}

/** What is known about a batch before it is judged. */
export interface Known {
  /** What operators granted, for every user and chat of the batch. */
  grants(userId: string, chatId: string): AccessGrants;
  /** Messages of other bots that were taken in a place since a person spoke there; the batch's own are counted in. */
  botStreak(place: ChatPlace): number;
}

/** Commands that act at once, past the mailbox. */
const signals: readonly string[] = ['stop', 'status', 'queue'] satisfies SignalKind[];
/** Commands of the mailbox that end what runs and go before whatever waits, which they take back. */
export const urgentCommands: readonly string[] = ['new', 'reset'];

export function judge(policy: IntakePolicy, update: IncomingUpdate, known: Known): Verdict {
  const { content } = update;
  switch (content.kind) {
    case 'message':
    case 'edit':
      return judgeSpoken(policy, content, known);
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

/** The gate of groups → the authoriser → what it is: whatever somebody says takes this way, and no other leads in. */
function judgeSpoken(policy: IntakePolicy, content: IncomingMessage | IncomingEdit, known: Known): Verdict {
  const { chat, sender, messageId, text } = content;
  const origin: Origin = { chat, sender, messageId };
  // An edit is meant for us if the message was; whether it was is known where that is kept.
  const addressed = content.kind === 'edit' || content.addressed;
  const botStreak = sender.isBot ? known.botStreak(chat) : 0;
  const gate = passGate(policy, {
    place: chat,
    sender,
    text,
    addressed,
    botId: policy.account.id,
    botStreak,
  });
  if (gate.kind === 'ignore') return refused('ignored', gate.reason, origin);
  const isOverheard = gate.kind === 'not_addressed';
  // What is not meant for us is nobody's failed attempt to talk to us.
  if (isOverheard && !mayOverhear(policy, content)) return refused('ignored', 'not_addressed', origin);
  const access = decideAccess({
    platform: policy.account.platform,
    sender,
    place: chat,
    lists: policy.lists,
    grants: known.grants(sender.id, chat.chatId),
  });
  if (access.kind === 'deny') {
    if (isOverheard) return refused('ignored', 'not_addressed', origin);
    const isStranger = access.reason === 'not_allowlisted' && chat.kind === 'direct' && !sender.isBot;
    return {
      ...refused('denied', access.reason, origin),
      isStranger: isStranger && content.kind === 'message',
    };
  }
  if (content.kind === 'edit') return { kind: 'edit', content };
  if (isOverheard) return { kind: 'overheard', content };
  if (content.command === undefined) return { kind: 'message', content };
  const { name } = content.command;
  return isSignal(name) ? { kind: 'signal', signal: name, content } : { kind: 'command', content };
}

/** People's words only: what bots say to each other is no context. */
function mayOverhear(policy: IntakePolicy, content: IncomingMessage | IncomingEdit): boolean {
  const isWanted = (policy.keepUnaddressed ?? 0) > 0 && content.kind === 'message' && !content.sender.isBot;
  // Where everybody has a session of their own there is no common one to overhear in.
  return isWanted && placeOf(policy, content).memberId === undefined;
}

function isSignal(name: string): name is SignalKind {
  return signals.includes(name);
}

/** A verdict that keeps ids only. */
export function refused(
  status: 'denied' | 'ignored' | 'unparsed',
  reason: string,
  origin: Origin,
): Extract<Verdict, { kind: 'refused' }> {
  return { kind: 'refused', status, reason, origin };
}

/** What `judge` let through as said by somebody. */
export type Spoken = Extract<Verdict, { content: unknown }>;

export function isSpoken(verdict: Verdict): verdict is Spoken {
  return 'content' in verdict;
}
