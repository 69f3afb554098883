import type { AccountRef } from '../chat.ts';
import type { IncomingMedia, MediaState } from '../media.ts';
import type { ChatTarget, NewReply } from '../turn.ts';

/** A message that waits for files. `inboxId` names it wherever its session is moved to. */
export interface MediaTask {
  inboxId: number;
  sessionId: string;
  chat: ChatTarget;
  messageId: string;
  /** Those that are still wanted. */
  wanted: readonly IncomingMedia[];
}

/** What became of one wanted file; `content` are the bytes of a stored one. */
export interface SettledMedia {
  reference: string;
  state: Exclude<MediaState, { kind: 'wanted' }>;
  content?: Uint8Array;
}

/** The gateway's side of files: the mailbox row waits for them, the polling does not. */
export interface MediaStore {
  /** Messages of the account whose files nobody fetches at the moment, oldest first; kept from others for `holdMs`. */
  take(account: AccountRef, options: { limit: number; holdMs: number }): Promise<readonly MediaTask[]>;
  /**
   * ONE transaction: contents become payloads of the session where the message waits now, the message may be read, and the
   * replies go out. Nothing is written for a message that no longer waits: null. Else the session to wake.
   */
  settle(
    task: MediaTask,
    settled: readonly SettledMedia[],
    replies: readonly NewReply[],
  ): Promise<string | null>;
}

/** Words of a recording, through an OpenAI-compatible service. Throws provider_failed. */
export interface Transcriber {
  transcribe(audio: { bytes: Uint8Array; mime: string }, signal: AbortSignal): Promise<string>;
}
