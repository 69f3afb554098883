import type { AccountRef, Platform } from '../chat.ts';

/** What became of a code that an operator typed. `left`: wrong ones that may still be tried, 0: locked from now on. */
export type Approval =
  | { kind: 'approved'; platform: Platform; userId: string; account: AccountRef }
  | { kind: 'unknown'; left: number }
  | { kind: 'locked'; minutes: number };

/** Somebody who was shown a code and waits for an operator. */
export interface PendingPairing {
  platform: Platform;
  userId: string;
  askedAt: Date;
  expiresAt: Date;
}

/** What is kept of an update that came in, for "why was this not answered". */
export interface UpdateFate {
  receivedAt: Date;
  status: 'stored' | 'denied' | 'ignored' | 'unparsed';
  reason: string | null;
  chatId: string | null;
  threadId: string | null;
  /** Null where nobody knows the chat. */
  chatKind: 'direct' | 'group' | null;
  senderId: string | null;
  sessionId: string | null;
  /** Of its row in the mailbox; null: there is none (a command that acts at once, or it was not taken). */
  mailbox: { state: string; reason: string | null } | null;
  /** State of the turn that answered it. */
  turn: string | null;
}

/** Who may talk to the bot: codes, grants, and why a message went no further. */
export interface AccessStore {
  /**
   * Let in, for direct messages, whoever was shown the code; `text` tells them. One use; five wrong codes in a row lock
   * approvals for an hour.
   */
  approve(code: string, text: string): Promise<Approval>;
  pending(): Promise<readonly PendingPairing[]>;
  /** Take back what an operator granted or denied: the lists of the config hold again. False: there was nothing. */
  forget(entry: { platform: Platform; kind: 'user' | 'chat'; id: string }): Promise<boolean>;
  /** People who are in a list now are there by the list: older pairings of theirs end, so that the list alone decides. */
  endPairings(platform: Platform, listed: readonly string[]): Promise<number>;
  /** Updates with a message of that id, or of that sender, newest first. */
  fates(asked: {
    platform: Platform;
    messageId?: string;
    senderId?: string;
    chatId?: string;
  }): Promise<readonly UpdateFate[]>;
}
