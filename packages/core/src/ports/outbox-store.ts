import type { Interaction } from '../incoming.ts';
import type { ChatTarget } from '../turn.ts';
import type { PartContent } from './platform.ts';

export interface OutboxPart extends PartContent {
  id: number;
  index: number;
  state: 'pending' | 'sending' | 'sent' | 'unknown';
  attempts: number;
  nonce: string;
  /** A former send may have arrived: its sender died before the receipt, or its answer was lost. */
  mayBeOut: boolean;
}

export interface OutboxReply {
  id: number;
  chat: ChatTarget;
  kind: 'final' | 'notice';
  text: string;
  replyToMessageId?: string;
  turnId?: string;
  interaction?: Interaction;
  sessionId: string;
  attempts: number;
  /** Empty until `begin` stored the split. */
  parts: readonly OutboxPart[];
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
  /** Milliseconds until something of the account becomes due; null = nothing waits. */
  nextDueInMs(account: string): Promise<number | null>;
  /** Store the split once; a reply that has parts keeps them. */
  begin(replyId: number, parts: readonly PartContent[]): Promise<readonly OutboxPart[]>;
  /** Put others in place of the parts that are not out. */
  replaceRest(replyId: number, parts: readonly PartContent[]): Promise<readonly OutboxPart[]>;
  /** Committed before the request goes out: a crash leaves `sending`. */
  partSending(partId: number): Promise<void>;
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
  /** Chats of the account in which a turn runs now, for typing. */
  busyChats(account: string): Promise<readonly ChatTarget[]>;
}
