/** What the bot has called, in order of arrival. */
import type { Params } from './types.ts';

/** How a call ended: done, refused with a code, answered with something odd, or without any answer. */
export type CallOutcome = 'open' | 'ok' | 'raw' | 'no_answer' | number;

/** One call of the bot. */
export interface JournalEntry {
  readonly method: string;
  /** Decoded parameters; uploads stand as UploadedFile. */
  params: Params;
  readonly atMs: number;
  /** `open` while the call is held. */
  outcome: CallOutcome;
}
