import type { AccountRef, ChatPlace } from '../chat.ts';
import type { IncomingUpdate, IntakeResult } from '../incoming.ts';

/** What intake did with one update, for acks and counters. */
export interface StoredUpdate {
  updateKey: string;
  result: IntakeResult;
  reason?: string;
  sessionId?: string;
}

/** Stores a batch in one transaction. When it throws, nothing of the batch is confirmed to the platform. */
export type StoreUpdates = (updates: readonly IncomingUpdate[]) => Promise<readonly StoredUpdate[]>;

/**
 * The incoming half of an adapter. `run` ends when the signal fires, or throws a GatewayError that names what to do
 * (`platform_unauthorised`: do not restart). It confirms an update only after `store` returned.
 */
export interface PlatformListener {
  readonly account: AccountRef;
  run(store: StoreUpdates, signal: AbortSignal): Promise<void>;
  /** Last sign of life from the platform; null before the first. */
  lastAlive(): Date | null;
}

/** One message to send; `text` is within the platform's limit, as `split` made it. */
export interface OutgoingPart {
  place: ChatPlace;
  text: string;
  replyToMessageId?: string;
  /** Stable over retries and restarts; Discord sends it as nonce. At most 25 characters. */
  nonce: string;
  /** A former send of this part may have arrived although no receipt is stored. */
  mayBeOut?: boolean;
}

/** What became of a send. `unknown`: the answer was lost, the message may be out. */
export type SendResult =
  | { kind: 'sent'; platformMessageId: string }
  | { kind: 'unknown'; message: string }
  | { kind: 'wait'; waitMs: number; scope: 'chat' | 'account' }
  /** The chat is gone, blocked or forbidden: stop sending there. */
  | { kind: 'unreachable'; message: string }
  | { kind: 'moved'; toChatId: string }
  | { kind: 'retry'; message: string }
  | { kind: 'failed'; message: string };

/** The outgoing half of an adapter. Never throws for a platform's refusal. */
export interface PlatformSender {
  readonly account: AccountRef;
  /** Parts in order, joined they give the text (white space at cuts and reopened code fences aside); none over the limit. */
  split(text: string): readonly string[];
  send(part: OutgoingPart, signal: AbortSignal): Promise<SendResult>;
  edit?(part: OutgoingPart & { platformMessageId: string }, signal: AbortSignal): Promise<SendResult>;
  typing(place: ChatPlace): Promise<void>;
  /** How often typing must be repeated, ms; 0 = never. */
  readonly typingEveryMs: number;
  /**
   * Whether a part whose answer was lost may be sent again: same nonce within minutes gives the same message
   * (Discord), else the message may appear twice and is marked (Telegram).
   */
  readonly repeatIsSafe: boolean;
  /** Called after the receipt of a part is committed; the local chat tells its pages to look. */
  delivered?(place: ChatPlace): void;
  close(): Promise<void>;
}
