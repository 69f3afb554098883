import type { Actor } from './action-store.ts';
import type { AccountRef, ChatPlace, Sender } from '../chat.ts';
import type { NewRow } from '../message.ts';

/** What became of one accepted message. */
export interface AcceptedMessage {
  mailboxSeq: number;
  messageId: string | null;
  /** pending, claimed, done, dead, withdrawn */
  state: string;
  turnId: string | null;
  /** running, answered, stopped, failed, dead; null before its turn. */
  turnState: string | null;
  /** State of the turn's reply in the outbox; null when there is none. */
  replyState: string | null;
  /** Seq of its transcript row; null when it has none. */
  rowSeq: number | null;
}

/** The past of a chat: bringing it in, and following what became of it. */
export interface HistoryStore {
  /** Rows of an older conversation at the beginning of a chat; the chat's session is made when new. Returns its id. */
  importRows(input: {
    account: AccountRef;
    place: ChatPlace;
    sender: Sender;
    engine: string;
    rows: readonly NewRow[];
    /** Who brings them in: leaves a row of that. */
    actor?: Actor;
    /** Told the number of rows written so far. */
    onProgress?(rows: number): void;
  }): Promise<string>;
  /** Mailbox order. */
  accepted(sessionId: string): Promise<readonly AcceptedMessage[]>;
  /** Events of a type written for the sessions. */
  countEvents(sessionIds: readonly string[], type: string): Promise<number>;
  /** Every session the chat ever had, oldest first. */
  sessionsOfChat(
    account: AccountRef,
    place: Pick<ChatPlace, 'chatId' | 'threadId'>,
  ): Promise<readonly string[]>;
}
