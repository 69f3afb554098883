import type { AccountRef, ChatPlace } from './chat.ts';
import type { Command, IncomingMessage, Interaction } from './incoming.ts';
import type { AudioToHear, MessageMedia, OutgoingFile } from './media.ts';
import type { NewRow } from './message.ts';
import type { LiveView } from './ports/transcript-store.ts';

/** Where an answer goes: one `chats` row. */
export interface ChatTarget {
  chatRowId: number;
  account: AccountRef;
  place: ChatPlace;
  /** Language tag of whom a direct chat is with; left out: not known, or a group. */
  language?: string;
}

/** What a mailbox row carries. Texts live here and in the transcript, never in a job. */
export type MailboxContent =
  | { kind: 'message'; message: MailboxMessage }
  | { kind: 'edit'; message: MailboxMessage }
  /** Said to others in a group; it starts no turn and comes along with one, marked. */
  | { kind: 'overheard'; message: MailboxMessage }
  | { kind: 'command'; command: Command; message: MailboxMessage }
  | { kind: 'operator'; command: Command };

export interface MailboxMessage {
  messageId: string;
  senderId: string;
  senderName: string;
  text: string;
  sentAt: Date;
  /** When it got the text it has now; left out: it is as it was first said. */
  editedAt?: Date;
  replyTo?: IncomingMessage['replyTo'];
  series?: IncomingMessage['series'];
  media?: readonly MessageMedia[];
  interaction?: Interaction;
}

export interface MailboxRow {
  seq: number;
  chat: ChatTarget;
  content: MailboxContent;
  acceptedAt: Date;
  /** W3C traceparent of its being stored; left out: that was not traced. */
  traceparent?: string;
}

/** One run of the agent; a repeated attempt keeps the id and goes on after the last stored step. */
export interface Turn {
  id: string;
  sessionId: string;
  chat: ChatTarget;
  attempt: number;
  /** Highest step stored so far; 0 = only the person's rows. */
  lastStep: number;
  startedAt: Date;
  mailbox: readonly MailboxRow[];
  /** A round whose tools were running when the former holder died; null when none. */
  openRound: OpenRound | null;
}

/** The assistant row with its calls, then a tool row for each call that has ended so far. */
export interface OpenRound {
  step: number;
  rows: readonly NewRow[];
}

/** A reply on its way: one outbox row. `key` is unique, so that a repeated attempt writes it once. */
export interface NewReply {
  key: string;
  chat: ChatTarget;
  kind: 'final' | 'notice';
  text: string;
  replyToMessageId?: string;
  turnId?: string;
  /** The reply is this file; `text` is its caption and may be empty. */
  file?: OutgoingFile;
  /** The slash command that it answers. */
  interaction?: Interaction;
  /** Not written while a reply whose key begins with the same word was written in that chat within this time, ms. */
  onceInMs?: number;
}

/** The key of the reply that ends a turn; its previews are stored under it too. */
export function turnReplyKey(turnId: string): string {
  return `turn-${turnId}`;
}

export type TurnOutcome = 'answered' | 'stopped' | 'failed';

/** What the drain finds next in a claimed session. */
export type NextWork =
  /** `view`: the transcript that it begins with, where it was asked for and no earlier attempt began the turn. */
  | { kind: 'turn'; turn: Turn; view?: LiveView }
  | { kind: 'command'; row: MailboxRow }
  /** Voice messages come first whose words nobody has written down yet. */
  | { kind: 'audio'; audio: readonly AudioToHear[] }
  /** The turn failed too often: its rows are dead, the person is to be told once. */
  | { kind: 'poison'; turn: Turn }
  /** The oldest pending row may still grow; ready in `waitMs`. */
  | { kind: 'later'; waitMs: number }
  /** As many turns of who wrote the oldest message run here as one person may have. */
  | { kind: 'crowded' }
  /** Signals wait, and no turn was left running that would act on them; they come before anything new. */
  | { kind: 'signals' }
  | { kind: 'none' };

/** `make_way`: a command came that ends what runs and takes back what waits; it has a mailbox row of its own. */
export type SignalKind = 'stop' | 'status' | 'queue' | 'make_way';

export interface Signal {
  id: number;
  kind: SignalKind;
  chat: ChatTarget;
  senderId: string;
  /** What stood behind the name of the command, its first 32 characters; empty: nothing. */
  argument: string;
  interaction?: Interaction;
}
