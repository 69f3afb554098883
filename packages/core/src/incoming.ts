import type { ChatPlace, Sender } from './chat.ts';
import type { IncomingMedia } from './media.ts';

/**
 * One update of a platform after normalisation. `raw` is what arrived, byte for byte;
 * `updateKey` is the platform's own unique id of the update (equality only, never order).
 */
export interface IncomingUpdate {
  updateKey: string;
  raw: Uint8Array;
  content: IncomingContent;
  /** W3C traceparent of its being stored: what is done because of it belongs to the same tree. */
  traceparent?: string;
}

export type IncomingContent =
  | IncomingMessage
  | IncomingEdit
  /** Messages somebody deleted; the platform says neither who nor what they said. */
  | { kind: 'deleted'; chatId: string; messageIds: readonly string[] }
  | { kind: 'chat_migrated'; fromChatId: string; toChatId: string }
  | { kind: 'ignored'; reason: IgnoredReason; what: string; chat?: ChatPlace; sender?: Sender }
  | { kind: 'unparsed'; problem: string };

/** A slash command of a platform that waits for its answer: what is needed to give it. Never shown to anyone. */
export interface Interaction {
  id: string;
  applicationId: string;
  token: string;
  /** Until then, in ms of the Unix clock, the answer takes the place of the sign that waits. */
  expiresAtMs: number;
}

/** A message; its text is empty where it is nothing but files. */
export interface IncomingMessage {
  kind: 'message';
  chat: ChatPlace;
  sender: Sender;
  messageId: string;
  text: string;
  sentAt: Date;
  /** Mentioned, replied to, a command for us, or a direct chat. */
  addressed: boolean;
  replyTo?: { messageId: string; text: string; senderName: string };
  /** Files, in order; the text is their caption. */
  media?: readonly IncomingMedia[];
  /** Of what it may be a piece (see `SeriesPiece`); more may then follow within about a second. */
  series?: string;
  command?: Command;
  /** Set where the command came by the platform's own menu. */
  interaction?: Interaction;
}

/** A changed text of an older message; never runs a command, never starts a turn. */
export interface IncomingEdit {
  kind: 'edit';
  chat: ChatPlace;
  sender: Sender;
  messageId: string;
  text: string;
  editedAt: Date;
}

export interface Command {
  name: string;
  argument: string;
}

/** Why an update is stored and marked but goes no further. */
export type IgnoredReason =
  | 'unsupported_kind'
  | 'no_text'
  | 'bot_author'
  | 'bot_loop'
  | 'not_addressed'
  | 'ignored_chat'
  | 'own_message';

/** What became of one update; the words are metric labels. */
export type IntakeResult = 'stored' | 'duplicate' | 'denied' | 'ignored' | 'unparsed';
