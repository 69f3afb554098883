import type { TokenCount } from './count-tokens.ts';
import type { Json } from './json.ts';
import type { ModelScript } from './script.ts';

/** Everything that can be set; only dialect, window and script are needed. */
export interface FakeModelOptions {
  readonly dialect: 'anthropic' | 'openai-chat' | 'openai-responses';
  /** Context window in tokens of this server's own counter: prompt and answer together. */
  readonly window: number;
  /** Largest answer that may be asked for; default 64,000. */
  readonly maxOutput?: number;
  /** Keys that are let in; each is its own cache workspace. Left out: any non-empty key. */
  readonly apiKey?: string | readonly string[];
  readonly script: ModelScript;
  /** Milliseconds since the epoch; used for cache lifetimes and journal times. Default: the real clock. */
  readonly clock?: { now(): number | Date };
  readonly tokenCount?: TokenCount;
  /** False keeps no bodies in the journal (long runs). Default true. */
  readonly recordBodies?: boolean;
  /** Smallest prompt that is cached; default by model (Anthropic), 1,024 (OpenAI). */
  readonly cacheMinimumTokens?: number;
  /** What happens when prompt + wanted answer exceed the window: 400 (default), or a cut answer. */
  readonly overfullOutput?: 'refuse' | 'stop';
  /** Models that exist; others are 404. Left out: every name exists. */
  readonly models?: readonly string[];
  /** Added to each entry of the model list, e.g. `{context_length: 8192}`. */
  readonly modelFields?: Json;
  /**
   * `openrouter` (chat): `cache_control` may sit on text parts, and the cache goes by those marks.
   * `codex` (Responses): the subscription's service with its headers, refusals and usage limits.
   */
  readonly flavour?: 'openai' | 'openrouter' | 'codex';
  /**
   * Responses only: what a request to condense meets. Default by model: `take` for gpt-5.6, `fail` (HTTP 500) for
   * gpt-5.1 and 5.2, else `refuse` (400 that names the field). `stall`: headers, then silence.
   */
  readonly contextManagement?: 'take' | 'refuse' | 'fail' | 'stall';
}

/** One HTTP request as it came in. */
export interface JournalEntry {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Byte-exact body as text; empty with `recordBodies: false`. */
  readonly body: string;
  /** Counts from 1 for each TCP connection. */
  readonly connection: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Undefined where the request is not a completion or could not be read. */
  promptTokens: number | undefined;
  /** HTTP status sent; 0 until then, and where none was sent. */
  status: number;
  /** The client went away (or the server was closed) before the answer was complete. */
  aborted: boolean;
}

/** Token figures of one complete answer, as reported, in one form for both dialects. */
export interface FakeUsage {
  readonly model: string;
  /** input + cacheRead + cacheWrite5m + cacheWrite1h. */
  readonly promptTokens: number;
  /** Neither read from nor written to the cache. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly outputTokens: number;
}

/**
 * A model server on 127.0.0.1 that refuses what the real service refuses.
 * A test ends with `expect(model.violations).toEqual([])`, so that no lenient answer hides a wrong client.
 */
export interface FakeModel extends AsyncDisposable {
  /** What the official SDK of the dialect takes as `baseURL` (OpenAI's ends in /v1). */
  readonly baseUrl: string;
  readonly requests: readonly JournalEntry[];
  /** Requests that were wrong in themselves: each was refused with the service's own text. */
  readonly violations: readonly string[];
  /** Prompts over the window, answered with the real overflow error. */
  readonly refused: number;
  /** Prompts that fit, but not together with the answer they asked for (with `overfullOutput: 'refuse'`). */
  readonly refusedOutput: number;
  /** Largest prompt asked for completion, refused ones included. */
  readonly largestPromptTokens: number;
  /** Complete answers only; broken streams and faults report nothing. */
  readonly usage: readonly FakeUsage[];
  /** Replace the script for the requests that follow. */
  setScript(script: ModelScript): void;
  close(): Promise<void>;
}
