import type { Command } from '../incoming.ts';
import type { OperatorRequest } from './operator-store.ts';

export const operatorActs = [
  'compact',
  'preview',
  'undo_compaction',
  'reset_rests',
  'reset_breaker',
  'release_lease',
  'switch_engine',
  'switch_model',
  'export',
  'import',
  'erase',
  'retry_delivery',
  'drop_delivery',
  'retry_event',
  'drop_event',
  'retry_message',
  'drop_message',
] as const;
export type OperatorAct = (typeof operatorActs)[number];

/** Who did it: a name of ours for them, never a secret. */
export interface Actor {
  name: string;
  via: 'dashboard' | 'cli';
}

/** What is written down of an act: ids only. */
export interface ActionNote {
  actor: Actor;
  act: OperatorAct;
  sessionId?: string;
  /** Id of what it was done to beside the session, or the name that was chosen. */
  target?: string;
}

/** One row of what operators did. */
export interface OperatorAction {
  id: number;
  at: Date;
  actor: string;
  via: Actor['via'];
  act: OperatorAct;
  sessionId: string | null;
  target: string | null;
}

/** Not done, and why: someone else holds the session, or nothing is there that it could be done to. */
export type ActRefusal = 'busy' | 'nothing_to_do' | 'missing';

export interface DeadMessageKey {
  sessionId: string;
  /** In the mailbox of the session. */
  seq: number;
}

/**
 * What operators change by themselves. Every act leaves a row of who did what, in the transaction of its change; one that
 * is refused leaves none.
 */
export interface ActionStore {
  /** For an act that is done elsewhere: before it is done. */
  note(note: ActionNote): Promise<void>;
  /** `OperatorStore.request` with its row, whose target is the request's seq. Throws as that does. */
  request(
    sessionId: string,
    asked: { command: Command; act: OperatorAct; actor: Actor; target?: string },
  ): Promise<OperatorRequest>;
  /** Let automatic compaction try again: cooldowns, strikes, holds and spend limits end. `busy`: a worker holds it. */
  resetRests(sessionId: string, actor: Actor): Promise<ActRefusal | null>;
  /** A summary model of the lossless engine may be asked again. */
  resetBreaker(which: { provider: string; model: string }, actor: Actor): Promise<ActRefusal | null>;
  /** Take a session from whoever holds it: their writes are refused from now on, any worker may claim it. */
  releaseLease(sessionId: string, actor: Actor): Promise<ActRefusal | null>;
  /**
   * Send again what has no receipt; the caller wakes the account's sender. `nothing_to_do`: every part has one.
   * returns the account, or why not
   */
  retryDelivery(id: number, actor: Actor): Promise<{ account: string } | ActRefusal>;
  /** Nobody will send it. */
  dropDelivery(id: number, actor: Actor): Promise<ActRefusal | null>;
  /**
   * A message that was given up becomes a new turn, with those of its dead turn; the caller wakes the session.
   * `busy`: a worker holds the session; `nothing_to_do`: the session has ended
   */
  retryMessage(which: DeadMessageKey, actor: Actor): Promise<ActRefusal | null>;
  /** Nobody will answer it. */
  dropMessage(which: DeadMessageKey, actor: Actor): Promise<ActRefusal | null>;
}
