import type { Json } from './json.ts';

/** One tool call as a script sees it; arguments are parsed, or the raw string when they are no JSON. */
export interface ScriptToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

/** One message in neither dialect: tool results sit on the user message that carries them. */
export interface ScriptMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly text: string;
  readonly toolCalls: readonly ScriptToolCall[];
  readonly toolResults: readonly { readonly id: string; readonly text: string }[];
}

/** What a script is asked. `index` counts earlier script calls of this server, from 0. */
export interface ScriptRequest {
  readonly system: string;
  readonly messages: readonly ScriptMessage[];
  /** Names of the tools offered, in order. */
  readonly tools: readonly string[];
  readonly model: string;
  /** Undefined when the request sets no limit (allowed by OpenAI only). */
  readonly maxTokens: number | undefined;
  readonly promptTokens: number;
  /** The parsed body as it came. */
  readonly raw: Json;
  readonly headers: Readonly<Record<string, string>>;
  readonly index: number;
}

/** A whole answer. Everything left out is empty. */
export interface ScriptReply {
  /** Several strings become several text blocks (Anthropic) or are joined (OpenAI). */
  readonly text?: string | readonly string[];
  /** Anthropic and Responses: a thought with a seal that this server checks when it comes back. */
  readonly thinking?: string;
  /** A string as arguments goes out as it is, so it may be broken JSON. */
  readonly toolCalls?: readonly {
    readonly id?: string;
    readonly name: string;
    readonly arguments: unknown;
  }[];
  /** Default `end`, or the dialect's word for tool calls when there are some. */
  readonly stop?: 'end' | 'max_tokens' | 'refusal';
  /** Real milliseconds before the first byte. */
  readonly delayMs?: number;
  /** Real milliseconds between two stream events. */
  readonly chunkDelayMs?: number;
  /** UTF-16 units of text in one delta; default 40. */
  readonly chunkSize?: number;
  /** Write the stream in pieces of so many bytes, which cuts characters in two. */
  readonly splitBytes?: number;
}

/**
 * What can go wrong on purpose.
 *
 * status answers   overloaded (529, OpenAI 503) · rate_limit · insufficient_quota · auth · permission ·
 *                  server_error · timeout (504) · overflow · too_large (413) · bad_request
 * broken streams   cut_stream · mid_stream_error · stall: `text` goes out first
 * broken transport reset (no byte) · silent (no byte, kept open) · html (502) · blank_body (200, no byte) ·
 *                  cut_body (half a JSON body)
 * odd answers      empty (a whole, valid answer without content)
 */
export type FaultKind =
  | StatusFault
  | 'cut_stream'
  | 'mid_stream_error'
  | 'stall'
  | 'reset'
  | 'silent'
  | 'html'
  | 'blank_body'
  | 'cut_body'
  | 'empty';

export type StatusFault =
  | 'overloaded'
  | 'rate_limit'
  | 'insufficient_quota'
  | 'auth'
  | 'permission'
  | 'server_error'
  | 'timeout'
  | 'overflow'
  | 'too_large'
  | 'bad_request';

/** A scripted fault. */
export interface ScriptFault {
  readonly fault: FaultKind;
  /** Sent as `retry-after` (whole seconds, rounded up) and `retry-after-ms`. */
  readonly retryAfterMs?: number;
  /** What a broken stream says before it breaks; default "partial answer". */
  readonly text?: string;
  readonly delayMs?: number;
}

export type ScriptAnswer = ScriptReply | ScriptFault;

/** The "model": decides an answer from a request. A throw becomes HTTP 500 and is listed in `violations`. */
export type ModelScript = (request: ScriptRequest) => ScriptAnswer | Promise<ScriptAnswer>;
