/** What in a group is meant for the bot: one gate for every way a message comes in. */
import { chatRule, type ChatRules } from './access.ts';
import type { ChatPlace, Sender } from './chat.ts';

export interface GroupRules {
  /** Group messages must be addressed to the bot. */
  requireMention: boolean;
  /** A text that matches one of them mentions the bot too. */
  mentionPatterns?: readonly RegExp[];
  /** THREAD or CHAT/THREAD. */
  ignoredThreads?: readonly string[];
  /** Other bots; left out: none is heard. */
  allowBots?: 'none' | 'mentions' | 'all';
  /** Messages not meant for the bot that wait for its next answer as context; left out: none. */
  keepUnaddressed?: number;
  /** By CHAT or CHAT/THREAD. */
  chats?: Readonly<Record<string, ChatRules>>;
}

/** Messages of bots in a row that are answered; with the answers, 20 events. Then a person must speak, or an hour pass. */
export const mostBotMessages = 10;

export interface GateQuestion {
  place: ChatPlace;
  sender: Sender;
  text: string;
  addressed: boolean;
  /** The bot's own id. */
  botId: string;
  /** Messages of bots that were heard in this place since a person spoke there. */
  botStreak: number;
}

export type GateDecision =
  | { kind: 'take' }
  /** Context for the next answer at most. */
  | { kind: 'not_addressed' }
  | { kind: 'ignore'; reason: GateReason };

export type GateReason = 'own_message' | 'bot_author' | 'bot_loop' | 'ignored_chat';

/** Whether a message is for the bot; says nothing of whether its sender may talk to it. */
export function passGate(rules: GroupRules, question: GateQuestion): GateDecision {
  const { place, sender } = question;
  // What we said ourselves never comes in again, whatever the lists say. (In the local chat account and person share an id.)
  if (sender.isBot && sender.id === question.botId) return { kind: 'ignore', reason: 'own_message' };
  const bots = rules.allowBots ?? 'none';
  if (sender.isBot && bots === 'none') return { kind: 'ignore', reason: 'bot_author' };
  if (isIgnoredPlace(rules, place)) return { kind: 'ignore', reason: 'ignored_chat' };
  const isMeant = place.kind === 'direct' || isAddressed(rules, question);
  if (sender.isBot && bots === 'mentions' && !isMentioned(rules, question))
    return { kind: 'ignore', reason: 'bot_author' };
  if (sender.isBot && isMeant && question.botStreak >= mostBotMessages)
    return { kind: 'ignore', reason: 'bot_loop' };
  return isMeant ? { kind: 'take' } : { kind: 'not_addressed' };
}

function isAddressed(rules: GroupRules, question: GateQuestion): boolean {
  const mustMention = chatRule(rules.chats, question.place, 'require_mention') ?? rules.requireMention;
  return !mustMention || isMentioned(rules, question);
}

function isMentioned({ mentionPatterns = [] }: GroupRules, { addressed, text }: GateQuestion): boolean {
  return addressed || mentionPatterns.some((pattern) => pattern.test(text));
}

function isIgnoredPlace(
  { ignoredThreads = [], chats }: GroupRules,
  { chatId, threadId }: ChatPlace,
): boolean {
  // A thread of Discord is a channel of its own, without a thread id beside it.
  const names = threadId === '' ? [chatId] : [threadId, `${chatId}/${threadId}`];
  const isListed = names.some((name) => ignoredThreads.includes(name));
  return isListed || chats?.[chatId]?.ignored === true || chats?.[`${chatId}/${threadId}`]?.ignored === true;
}
