import type { Platform } from '../chat.ts';
import type { Lease } from '../session.ts';
import type { MailboxRow, NewReply } from '../turn.ts';

/** What an erasure changed. */
export interface ErasedCounts {
  sessions: number;
  /** Rows of the transcript that are tombstones now. */
  messages: number;
  /** Rows that quoted them: the words are taken out, the rest stays. */
  quotes: number;
  /** Summaries, nodes and blocks over any of them, withdrawn. */
  summaries: number;
  payloads: number;
  /** Ledger rows written to say that compactions stand no more: attempts by hand, trigger undo. */
  undone: number;
}

/** Closes whatever asked for an erasure, in the erasure's own transaction: a repeat after a crash finds it done. */
export interface EraseRequest {
  row: MailboxRow;
  /** An operator reads it from the row; no message's text. */
  answer?(counts: ErasedCounts): string;
  replies?(counts: ErasedCounts): readonly NewReply[];
}

/** What `traces` looks for. */
export interface WantedTraces {
  /** Ids of a person on the platforms, and phrases; a text matches when it holds one of them. */
  texts: readonly string[];
  /** people.id */
  personIds?: readonly number[];
}

/**
 * The one way in which text leaves for good. Everything of one erasure is one transaction over all its sessions: it locks
 * their rows, and where it changes a session that somebody else holds it raises the epoch, so that an answer made from
 * the old text is refused when it is to be stored. Rows keep id and seq, summaries over them are withdrawn and what they
 * stood for is read again; no undo brings anything back.
 */
export interface EraseStore {
  /**
   * A message of a chat that was deleted, with its later edits, in whichever of the chat's sessions it stands.
   * throws LeaseLost; then nothing was written
   */
  message(
    lease: Lease,
    message: { chatRowId: number; messageId: string },
    request?: EraseRequest,
  ): Promise<ErasedCounts>;
  /** All of a session and of those it was rotated from or into; the empty session goes on. Throws row_missing. */
  session(sessionId: string): Promise<ErasedCounts>;
  /**
   * A person over all linked identities: their direct sessions whole, their rows in groups, who they are. What stays: the
   * address their direct chat is answered at, if `asked`, and an operator's denial of an id. Throws row_missing.
   */
  person(
    who: { platform: Platform; userId: string },
    asked?: { lease: Lease; request: EraseRequest },
  ): Promise<ErasedCounts>;
  /** Commands of that name that a sender gave in the session within `withinMs`, without argument, newest first. */
  askedBefore(
    sessionId: string,
    command: { name: string; senderId: string; withinMs: number },
  ): Promise<readonly { seq: number; acceptedAt: Date }[]>;
  /** Where in our tables the texts and ids still stand: rows by `table.column`; empty when nowhere. Reads everything. */
  traces(wanted: WantedTraces): Promise<Readonly<Record<string, number>>>;
  /** Leave word that an operator exported a session. Throws row_missing. */
  noteExport(sessionId: string): Promise<void>;
}
