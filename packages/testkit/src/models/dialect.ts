import type { TokenCount } from './count-tokens.ts';
import type { FakeModelOptions } from './fake-model.ts';
import type { CacheFigures, PromptCache } from './prompt-cache.ts';
import type { PromptBlock } from './prompt-chain.ts';
import type { Json } from './json.ts';
import type { ScriptMessage, StatusFault } from './script.ts';

/** An error answer. `counts` says which of the server's counters it belongs to. */
export interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly code?: string | null;
  readonly param?: string | null;
  readonly counts: 'violation' | 'overflow' | 'output' | 'nothing';
  /** Further fields of the error object. */
  readonly details?: Json;
}

/** Why an answer ended, in neither dialect's words. */
export type Finish = 'end' | 'tool_calls' | 'max_tokens' | 'window' | 'refusal';

/** A complete answer, ready to be written in a dialect. `json` is a call's arguments as sent. */
export interface Answer {
  readonly serial: string;
  /** Whose request it answers: opaque items are bound to it. */
  readonly account: string;
  readonly model: string;
  readonly thinking: string;
  readonly texts: readonly string[];
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly json: string }[];
  readonly finish: Finish;
  readonly figures: CacheFigures;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly chunkSize: number;
}

/** One server-sent event. A broken stream stops before the first closing one. */
export interface Frame {
  readonly text: string;
  readonly closing: boolean;
}

/** Sizes that overflow texts name, all in tokens. */
export interface Sizes {
  readonly promptTokens: number;
  readonly wantedTokens: number;
  readonly window: number;
}

/** What a script sees of a body; the server adds the rest. */
export interface BodyView {
  readonly system: string;
  readonly messages: readonly ScriptMessage[];
  readonly tools: readonly string[];
  readonly model: string;
  readonly maxTokens: number | undefined;
  readonly streams: boolean;
}

/** What a dialect is built from; `secret` is fresh for each server. */
export interface DialectParts {
  readonly options: FakeModelOptions;
  readonly maxOutput: number;
  readonly count: TokenCount;
  readonly secret: string;
}

/** Request and answer headers, lower-case names. */
export type Headers = Readonly<Record<string, string>>;

/** What a body is sent for, and with which headers (they can change the rules). */
export interface Sent {
  readonly purpose: 'complete' | 'count';
  readonly headers: Headers;
  /** The account behind the key, or the key itself. */
  readonly account: string;
}

/** All that differs between two wire formats. Pure but for the cache it owns. */
export interface Dialect {
  /** What the SDK's base URL ends in. */
  readonly basePath: '' | '/v1' | '/backend-api/codex';
  readonly completionPath: string;
  /** Undefined where the service has no such endpoint. */
  readonly countPath: string | undefined;
  readonly cache: PromptCache;
  /** The key sent, or why the headers are refused. */
  readCredential(
    headers: Headers,
  ): { readonly key: string; readonly account?: string } | { readonly refusal: Refusal };
  refuseBody(body: Json, sent: Sent): Refusal | undefined;
  /** Requests that get headers and then nothing. */
  stalls?(body: Json): boolean;
  promptBlocks(body: Json, workspace: string): readonly PromptBlock[];
  cacheMinimum(model: string): number;
  view(body: Json): BodyView;
  wrongKey(): Refusal;
  unknownModel(model: string): Refusal;
  notFound(path: string): Refusal;
  overflow(sizes: Sizes): Refusal;
  outputOverflow(sizes: Sizes): Refusal;
  fault(kind: StatusFault, sizes: Sizes): Refusal;
  /** The name of the header that carries the request id. */
  readonly requestIdHeader: string;
  errorBody(refusal: Refusal, requestId: string): Json;
  answerBody(answer: Answer): Json;
  frames(answer: Answer, body: Json): readonly Frame[];
  /** The error event of a stream that had begun with 200. */
  streamError(): string;
  modelEntry(model: string, limits: { readonly window: number; readonly maxOutput: number }): Json;
  modelList(entries: readonly Json[]): Json;
  toolCallId(serial: string): string;
}
