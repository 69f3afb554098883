import type { Interaction } from '../incoming.ts';
import type { AccountRef, ChatPlace } from '../chat.ts';
import type { OutgoingFile } from '../media.ts';
import type { ChatTarget, TurnOutcome } from '../turn.ts';
import type { PartContent } from './platform.ts';

export interface OutboxPart extends PartContent {
  id: number;
  index: number;
  /** `opening`, `shown`: no part of the split yet but a preview, on its way or out; `begin` gives its place to a part. */
  state: 'opening' | 'shown' | 'pending' | 'sending' | 'sent' | 'unknown';
  attempts: number;
  nonce: string;
  /** A former send may have arrived: its sender died before the receipt, or its answer was lost. */
  mayBeOut: boolean;
  /** The message that stands in its place already, as a preview: it is edited, or taken away where `text` is empty. */
  shownAs?: string;
}

/** A turn under way and what it has written so far. */
export interface WrittenSoFar {
  sessionId: string;
  turnId: string;
  chat: ChatTarget;
  text: string;
  /** The newest message that it answers. */
  answersMessageId?: string;
  /** When the first message that it answers was stored. */
  askedAt?: Date;
  /** Previews that are out or on their way, in order. */
  previews: readonly Preview[];
}

export interface Preview {
  partId: number;
  nonce: string;
  /** Null: on its way, or its receipt was lost. */
  platformMessageId: string | null;
}

export interface OutboxReply {
  id: number;
  chat: ChatTarget;
  kind: 'final' | 'notice';
  text: string;
  replyToMessageId?: string;
  turnId?: string;
  /** The reply is this file, and `text` its caption. */
  file?: OutgoingFile;
  interaction?: Interaction;
  sessionId: string;
  /** When the first message that it answers was stored; left out where it answers none. */
  askedAt?: Date;
  /** W3C traceparent of the turn that made it, else of that message; left out: neither was traced. */
  traceparent?: string;
  attempts: number;
  /** Empty until `begin` stored the split. */
  parts: readonly OutboxPart[];
}

export interface EndedTurn {
  outcome: TurnOutcome | 'dead';
  messageIds: readonly string[];
}

/** How long what is held back. */
export interface Hold {
  waitMs: number;
  gate: 'reply' | 'chat' | 'account';
  /** The part on its way may have arrived: it stays known as such for the next attempt, by whichever process. */
  partMayBeOut?: boolean;
}

/** Replies and their parts. Only the holder of the account's sender lease calls the writing half. */
export interface OutboxStore {
  /** The oldest unfinished reply of each chat of the account that is due (own not_before and the chat's gate), oldest first. */
  due(account: string, limit: number): Promise<readonly OutboxReply[]>;
  /**
   * A reply that was due, as it is now: what was on its way in its chat meanwhile may have changed its parts or shut the
   * chat. Null: it is not due any more.
   */
  stillDue(reply: Pick<OutboxReply, 'id' | 'sessionId' | 'chat'>): Promise<OutboxReply | null>;
  /** Milliseconds until something of the account becomes due; null = nothing waits. */
  nextDueInMs(account: string): Promise<number | null>;
  /**
   * Store the split once; a reply that has parts keeps them. Previews that are out give their messages to the parts in
   * order (files take none), and what is left of them becomes parts without text.
   */
  begin(replyId: number, parts: readonly PartContent[]): Promise<readonly OutboxPart[]>;
  /** Put others in place of the parts that are not out. */
  replaceRest(replyId: number, parts: readonly PartContent[]): Promise<readonly OutboxPart[]>;
  /**
   * Committed before the request goes out: a crash leaves `sending`. Refused with row_missing when the part is not as it
   * was read: another sender has taken it since.
   */
  partSending(part: Pick<OutboxPart, 'id' | 'attempts'>): Promise<void>;
  /** Receipt; the last part sent closes the reply. `remark` is kept as the reply's problem, for operators. */
  partSent(partId: number, platformMessageId: string, remark?: string): Promise<void>;
  /**
   * The answer was lost. `sendAgain` false: the part counts as out and the reply goes on with the next one; true: it is
   * pending again and `mayBeOut`. Either way the reply ends as `unknown`.
   */
  partUnknown(partId: number, sendAgain: boolean): Promise<void>;
  /** Back to pending with a delay; `gate` holds the whole chat or account back. */
  wait(replyId: number, hold: Hold): Promise<void>;
  fail(replyId: number, state: 'failed' | 'dead' | 'cancelled', problem: string): Promise<void>;
  markUnreachable(chatRowId: number, problem: string): Promise<void>;
  /** A group became a supergroup: the old id is an alias of the new one from now on. */
  moveChat(chatRowId: number, toChatId: string): Promise<void>;
  /** The message of a part is gone: the part is to be sent anew. */
  forgetMessage(partId: number): Promise<void>;
  /** Nothing is sent to the chat, or by its account, for so long; never shortens a longer wait. */
  closeGate(chat: ChatTarget, hold: { waitMs: number; gate: 'chat' | 'account' }): Promise<void>;
  /** The chat's row, if its gates are open and it can be reached. */
  openChat(account: AccountRef, place: Pick<ChatPlace, 'chatId' | 'threadId'>): Promise<ChatTarget | null>;
  /** Chats of the account in which a turn runs now, for typing. */
  busyChats(account: string): Promise<readonly ChatTarget[]>;

  /** Turns of the account that wrote something lately, in chats where a preview may be sent or changed now. */
  writtenSoFar(account: string): Promise<readonly WrittenSoFar[]>;
  /** Note, before it goes out, that a preview is opened behind the ones there are; null when the turn is over. */
  openPreview(of: Omit<WrittenSoFar, 'text' | 'previews'>): Promise<Preview | null>;
  /** Its receipt; null: it did not go out, and is forgotten. */
  previewShown(partId: number, platformMessageId: string | null): Promise<void>;
  turnRuns(sessionId: string, turnId: string): Promise<boolean>;
  /** How the turn ended that this reply ends, and the messages it answered, oldest first; null: it ends none. */
  endedTurn(replyId: number): Promise<EndedTurn | null>;
}
