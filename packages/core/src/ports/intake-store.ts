import type { AccessLists } from '../access.ts';
import type { AccountRef } from '../chat.ts';
import type { GroupRules } from '../group-gate.ts';
import type { IncomingUpdate } from '../incoming.ts';
import type { MediaKind } from '../media.ts';
import type { StoredUpdate } from './platform.ts';

/** How intake stores for one account. */
export interface IntakePolicy extends GroupRules {
  account: AccountRef;
  lists: AccessLists;
  /** Engine of sessions that begin now. */
  engine: string;
  /** How long a message that may grow waits, ms. */
  waitForMoreMs: number;
  /** Kinds of files that are fetched; left out: none. */
  media?: readonly MediaKind[];
  /** Messages that may wait in one session, and what is said, once, to who writes more; left out: any number. */
  bound?: { messages: number; text: (language?: string) => string };
  /** A session for each person in groups, in threads; left out: one that all share. A chat's own rule comes first. */
  sessionsPerUser?: { groups: boolean; threads: boolean };
  /** What a stranger who writes directly is told with a code; left out: nothing, no code is made. */
  pairingText?: (code: string, language?: string) => string;
}

export interface IntakeStore {
  /**
   * ONE transaction, one savepoint an update: inbox row, and for accepted messages a mailbox row in the order given
   * (chats row locked in share mode, session row locked for the next mailbox seq; chat and session are made when new).
   * A repeated update key or message of the chat is `duplicate`. Of denied and ignored senders only key, ids and reason
   * are kept; with `pairingText` a stranger who writes directly gets a one-time code, within limits, and nothing else.
   * A poison update rolls back to its savepoint and is stored raw as `unparsed`.
   * /stop, /status and /queue become signals, other commands mailbox rows; an edit replaces the text of a pending row, else
   * it is queued as a note that starts no turn; one that is older than what is known, or days late, changes nothing.
   * A message beyond `bound` is `ignored` as `mailbox_full`. Returns one entry an update, in order.
   * Throws database_unavailable, database_full (retryable): nothing of the batch was stored.
   */
  storeUpdates(policy: IntakePolicy, updates: readonly IncomingUpdate[]): Promise<readonly StoredUpdate[]>;
  /** Highest platform message id seen per chat of the account, for backfill; only chats seen in the last 30 days. */
  backfillPoints(
    account: AccountRef,
  ): Promise<readonly { chatId: string; threadId: string; lastMessageId: string }[]>;
}
