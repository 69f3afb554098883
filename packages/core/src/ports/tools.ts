import type { Platform } from '../chat.ts';
import type { FileToSend } from '../media.ts';
import type { NewPayload } from '../message.ts';
import type { Session } from '../session.ts';
import type { ToolSchema } from './model.ts';

export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

export interface ToolResult {
  text: string;
  isError: boolean;
  /** Images, files and the like that `text` refers to; stored with the result. */
  payloads?: readonly NewPayload[];
  /** Files that go out to the person at once, as soon as the result is stored. */
  files?: readonly FileToSend[];
}

/** What a tool may know of the turn it runs in. Rights are those of the least trusted sender. */
export interface ToolScope {
  session: Session;
  turnId: string;
  senderIds: readonly string[];
  /** Where they wrote, if that may be another platform than the session's. */
  platform?: Platform;
  signal: AbortSignal;
}

export interface Tool {
  schema: ToolSchema;
  /** Which sessions have it; left out: all. The same for a session's whole life, since its prompt names it. */
  isFor?(session: Pick<Session, 'platform'>): boolean;
  /** True: running it twice does no harm, so a crash may repeat it. */
  repeatable: boolean;
  /** True: what it changes is stored with its round alone; a round finished after a crash runs it again, answered or not. */
  isStoredWithRound?: boolean;
  /** A failure is a result with `isError`; a throw is turned into one. */
  run(input: Record<string, unknown>, scope: ToolScope & { callId: string }): Promise<ToolResult>;
}
