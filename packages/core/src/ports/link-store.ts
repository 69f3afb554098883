import type { ChatTarget, MailboxRow, NewReply } from '../turn.ts';
import type { Platform } from '../chat.ts';
import type { Lease } from '../session.ts';

/** A person on one platform. */
export interface Account {
  platform: Platform;
  userId: string;
}

/** What became of a typed code. `left`: wrong ones that may still be tried, 0: locked from now on. */
export type Linked =
  /** `sessionId`: where the chat goes on; `platform`: that of the other account. */
  | { kind: 'linked'; platform: Platform; sessionId: string }
  | { kind: 'unknown'; left: number }
  | { kind: 'locked'; minutes: number }
  /** The code is one's own. */
  | { kind: 'own' };

/** Several accounts of one person: they share conversations in direct messages, and no right beside that. */
export interface LinkStore {
  /** A one-time code for an hour; an older one of the same account no longer counts. */
  issue(who: Account, chat: ChatTarget): Promise<string>;
  /**
   * Make the account that typed the code one person with the one that was shown it, and point the command's chat at the
   * conversation of the other, with what waits; the command is closed. Nothing is written unless it is `linked`, but the
   * count of wrong codes.
   */
  redeem(
    lease: Lease,
    typed: {
      row: MailboxRow;
      who: Account;
      code: string;
      replies: (linked: Extract<Linked, { kind: 'linked' }>) => readonly NewReply[];
    },
  ): Promise<Linked>;
  /**
   * The account becomes a person of its own; chats on either side that share a conversation begun on the other get a new
   * one with their next message. The command is closed. False: it was linked with nothing, and nothing was written.
   */
  unlink(
    lease: Lease,
    asked: { row: MailboxRow; who: Account; replies: readonly NewReply[] },
  ): Promise<boolean>;
  /** The other accounts of the same person. */
  others(who: Account): Promise<readonly Account[]>;
}
