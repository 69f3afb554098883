import type { PromptMessage } from '../message.ts';
import type { Usage } from '../usage.ts';

/** JSON-schema description of a tool as a model sees it. */
export interface ToolSchema {
  name: string;
  description: string;
  /** A JSON schema of type object. */
  parameters: Record<string, unknown>;
}

/** Blocks of the system prompt in order; the first is the cached prefix, a note may follow. */
export type SystemBlocks = readonly string[];

/** A picture as it goes to a model that takes pictures. */
export interface PromptImage {
  mime: string;
  base64: string;
}

export interface ModelRequest {
  sessionId: string;
  system: SystemBlocks;
  messages: readonly PromptMessage[];
  tools: readonly ToolSchema[];
  /** Pictures among the payload parts, by payload id; a picture that is not here is only named. */
  images?: ReadonlyMap<string, PromptImage>;
  /** Most tokens the answer may have; the caller keeps prompt + maxTokens within the window. */
  maxTokens: number;
  purpose: 'turn' | 'summary';
  /**
   * Prompt tokens at which the session's engine condenses. A provider that condenses on its own side is asked to do so
   * before that; null: never ask it; left out: not known.
   */
  compactAtTokens?: number | null;
  /**
   * The model refused the prompt and no more room can be made: a fallback model with a larger window is to take it, and
   * the refusing one is not asked again. Only where `widerWindowTokens` is known.
   */
  isPastWindow?: true;
}

export type StopReason = 'end' | 'tool_calls' | 'max_tokens' | 'refusal' | 'window_exceeded';

/** Why a request failed, decided once at the provider's border from codes, then texts. */
export type ModelFailureKind =
  | 'overflow'
  | 'rate_limited'
  | 'overloaded'
  | 'quota'
  | 'auth'
  | 'model_not_found'
  | 'timeout'
  | 'network'
  | 'stream_cut'
  | 'bad_request'
  | 'server_error'
  | 'aborted';

export interface ModelFailure {
  kind: ModelFailureKind;
  retryable: boolean;
  /** Status, code and our own words; never the provider's echo of the prompt. */
  message: string;
  status?: number;
  retryAfterMs?: number;
  /** The real window, where an overflow error names it. */
  reportedWindowTokens?: number;
  reportedPromptTokens?: number;
}

/** What a provider condensed on its own side. */
export interface ProviderCompaction {
  /** Which of the provider's machineries did it. */
  runtime: 'responses' | 'codex_app_server';
  /** Opaque items that came with it, kept as sidecars; 0 where the provider holds the conversation. */
  items: number;
  /** Prompt tokens afterwards, an estimate; null: not known. */
  tokensAfter: number | null;
  /** The provider's names of the conversation and of the step, where it holds it. */
  threadId?: string;
  turnId?: string;
}

/**
 * A failure is a value in the stream, never a throw. Exactly one `done` or `failed` comes, and it is the last.
 * `text` events are deltas. Tool calls come whole, in the order the model made them.
 */
export type ModelEvent =
  /** `block` rises where the model began a new text block; each becomes a part of its own. */
  | { type: 'text'; text: string; block: number }
  | { type: 'tool_call'; id: string; name: string; arguments: string }
  | { type: 'sidecar'; issuer: string; item: unknown }
  | { type: 'retrying'; attempt: number; waitMs: number; failure: ModelFailure }
  /** The provider condensed its own view of the conversation; rows stay as they are. */
  | ({ type: 'compaction' } & ProviderCompaction)
  /** Another model answers from here on: it reads the whole conversation anew. Comes before anything it says. */
  | ({ type: 'fell_back' } & FellBack)
  | { type: 'done'; stop: StopReason; usage: Usage | null }
  | { type: 'failed'; failure: ModelFailure };

/** `from` and `to` are labels; `why` null: the first model is tried again. */
export interface FellBack {
  from: string;
  to: string;
  why: ModelFailureKind | null;
}

export interface ModelInfo {
  provider: string;
  name: string;
  /** What people read: `anthropic/claude-sonnet-5`. */
  label: string;
  windowTokens: number;
  windowSource: 'config' | 'provider' | 'table' | 'error' | 'default';
  /** Of the fallback models behind it the largest window; left out where none is larger. */
  widerWindowTokens?: number;
  maxOutputTokens: number;
  /** It takes pictures; left out: it does not, or nobody knows. */
  takesImages?: true;
  /** Tag of sidecars: provider + host + account + family. */
  issuer: string;
  /** How prompts are marked for the cache; null: not by us. */
  caching: string | null;
  /** Marks would be taken there, and the config says none. */
  cachingOff?: true;
  /** Left out where nobody wrote down what the model costs. */
  pricePerMillion?: ModelPrice;
}

/** US dollars per million tokens; `cacheRead` and `cacheWrite` are whole prices, not discounts. */
export interface ModelPrice {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Every token of a request costs this where its prompt is longer. */
  longPrompt?: { aboveTokens: number; input: number; output: number; cacheRead: number; cacheWrite: number };
}

export interface ModelClient {
  readonly info: ModelInfo;
  /** Retries inside (visible as `retrying` events) until something was streamed; an abort ends with `failed: aborted`. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /**
   * Only where the provider holds the conversation: have it condensed there and wait for the end. Our rows are never
   * rewritten on such a route, since that would not make the provider's prompt smaller.
   */
  compactThread?(
    conversation: Pick<ModelRequest, 'sessionId' | 'messages'>,
    signal: AbortSignal,
  ): Promise<ThreadCompaction>;
  /** End what the client keeps running, if anything. */
  close?(): Promise<void>;
}

export type ThreadCompaction =
  | ({ kind: 'compacted' } & ProviderCompaction)
  /** There is no thread yet, so nothing to condense. */
  | { kind: 'nothing' }
  | { kind: 'failed'; failure: ModelFailure };
