import {
  estimateTokens,
  type Clock,
  type LcmConfig,
  type LcmStore,
  type Reason,
  type Summariser,
  type SummaryAnswer,
  type SummaryRequest,
} from '@palimpsest/core';
import { cleanAnswer } from './clean-answer.ts';
import type { LcmMeasures } from './measures.ts';
import { modelKey, type ModelKey } from './model-key.ts';

export type DeskStore = Pick<LcmStore, 'breakerFailed' | 'breakerSucceeded' | 'spend'>;

export interface DeskOptions {
  /** In the order they are tried. */
  summarisers: readonly Summariser[];
  measures: LcmMeasures;
  store: DeskStore;
  config: LcmConfig;
  sessionId: string;
  clock: Clock;
  signal: AbortSignal;
  /** Models that rest, as `provider/model`. */
  resting: ReadonlySet<string>;
  /** A session that used its calls up; asked for by a person it goes on. */
  isSpendFree: boolean;
}

export interface DeskStop {
  kind: 'stop';
  reason: Reason;
  policy: 'abort' | 'local';
  /** Null: nothing failed. */
  cooldownMs: number | null;
  message: string;
  /** Who failed; null where nobody was asked. */
  model: string | null;
}

/** A text of a model; why there is none; or that the whole sweep should end. */
export type DeskAnswer =
  | ({ kind: 'text'; text: string } & ModelKey)
  | { kind: 'not_smaller' }
  | { kind: 'empty' }
  | { kind: 'too_large' }
  | DeskStop;

/** Longest wait before the next model of the chain, and its beginning, ms. */
const mostDelayMs = 8_000;
const firstDelayMs = 500;

/** Asks the summary models of a sweep in turn: time limit, breaker and spend guard around every call. Keeps the bill. */
export class SummaryDesk {
  readonly cost = { calls: 0, inputTokens: 0, outputTokens: 0 };
  readonly #options: DeskOptions;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  get inputTokens(): number {
    return Math.min(...this.#options.summarisers.map(({ windowTokens }) => Math.floor(windowTokens * 0.6)));
  }

  /**
   * A summary that `accepts` takes. A model whose text is refused, empty or late is followed by the next one; a refused key
   * ends everything. `restMs` is what is left of the sweep.
   */
  async ask(
    request: SummaryRequest,
    { accepts, restMs }: { accepts(text: string): boolean; restMs: number },
  ): Promise<DeskAnswer> {
    const { summarisers, resting } = this.#options;
    const awake = summarisers.filter((summariser) => !resting.has(nameOf(modelKey(summariser))));
    if (awake.length === 0) return stop('breaker_open', 'the summary model rests after failures in a row');
    let last: DeskAnswer = { kind: 'empty' };
    for (const [index, summariser] of awake.entries()) {
      if (index > 0) await this.#pause(index - 1);
      last = await this.#options.measures.timed('summarise', () => this.#askOne(summariser, request, restMs));
      if (last.kind === 'text' && !accepts(last.text)) last = { kind: 'not_smaller' };
      if (isFinal(last)) break;
    }
    return last;
  }

  /** One model; an empty answer and one that was cut off are asked for once more, with twice the room. */
  async #askOne(summariser: Summariser, request: SummaryRequest, restMs: number): Promise<DeskAnswer> {
    let last: DeskAnswer = { kind: 'empty' };
    for (const room of [1, 2]) {
      if (this.#options.signal.aborted) return cancelled();
      if (!(await this.#maySpend()))
        return stop('spend_limit', 'the summary calls of this session are used up');
      const answer = await this.#call(
        summariser,
        { ...request, targetTokens: request.targetTokens * room },
        restMs,
      );
      this.#note(answer, request);
      last = await this.#judge(summariser, answer);
      if (last.kind !== 'empty' && last.kind !== 'not_smaller') return last;
    }
    return last;
  }

  /** A failure is on the bill where the provider says what it took. */
  #note(answer: SummaryAnswer, { system, prompt }: SummaryRequest): void {
    const isText = answer.kind === 'text';
    const { usage } = answer;
    this.cost.inputTokens += usage?.promptTokens ?? (isText ? estimateTokens(system + prompt) : 0);
    this.cost.outputTokens += usage?.outputTokens ?? (isText ? estimateTokens(answer.text) : 0);
  }

  async #judge(summariser: Summariser, answer: SummaryAnswer): Promise<DeskAnswer> {
    if (answer.kind === 'failed') return this.#failed(summariser, answer);
    const text = cleanAnswer(answer.text);
    if (text === '') return { kind: 'empty' };
    await this.#options.store.breakerSucceeded(...keyOf(summariser));
    return { kind: 'text', text, ...modelKey(summariser) };
  }

  async #maySpend(): Promise<boolean> {
    const { store, config, sessionId, isSpendFree } = this.#options;
    if (isSpendFree) return true;
    const policy = {
      maxCalls: config.summary_max_calls_per_window,
      windowMs: config.summary_call_window_ms,
      backoffMs: config.summary_spend_backoff_ms,
    };
    return (await store.spend(sessionId, 1, policy)).allowed;
  }

  /** A model that neither answers nor listens to the signal is left behind. A throw is a failure like any other. */
  async #call(summariser: Summariser, request: SummaryRequest, restMs: number): Promise<SummaryAnswer> {
    const { clock, signal, config } = this.#options;
    this.cost.calls += 1;
    const over = new AbortController();
    const late = new AbortController();
    const both = AbortSignal.any([signal, late.signal]);
    const timeoutMs = Math.max(1, Math.min(config.summary_timeout_ms, restMs));
    const timer = clock.sleep(timeoutMs, over.signal).then(() => {
      if (!over.signal.aborted) late.abort();
      return timedOut(timeoutMs);
    });
    try {
      const answer = await Promise.race([summariser.summarise(request, both), timer, whenAborted(signal)]);
      return late.signal.aborted ? timedOut(timeoutMs) : answer;
    } catch {
      return failedAnswer('summary_provider_5xx', `the summary model ${summariser.model} broke off`);
    } finally {
      over.abort();
    }
  }

  async #failed(
    summariser: Summariser,
    failed: Extract<SummaryAnswer, { kind: 'failed' }>,
  ): Promise<DeskAnswer> {
    const { config, store, signal } = this.#options;
    if (signal.aborted || failed.reason === 'user_cancelled') return cancelled();
    if (failed.reason === 'summary_context_too_small') return { kind: 'too_large' };
    if (failed.reason === 'summary_empty') return { kind: 'empty' };
    // The model works; what it wrote had no end.
    if (failed.reason === 'summary_too_long') return { kind: 'not_smaller' };
    const policy = {
      threshold: config.circuit_breaker_threshold,
      cooldownMs: config.circuit_breaker_cooldown_ms,
    };
    await store.breakerFailed(...keyOf(summariser), policy);
    const { reason, cooldownMs, message } = failed;
    return { kind: 'stop', reason, policy: failed.policy, cooldownMs, message, model: summariser.model };
  }

  #pause(index: number): Promise<void> {
    const { clock, signal } = this.#options;
    return clock.sleep(Math.min(firstDelayMs * 2 ** index, mostDelayMs), signal);
  }
}

/** Whether asking another model would be wrong: there is a text, a person said stop, a key was refused, money is out. */
function isFinal(answer: DeskAnswer): boolean {
  if (answer.kind !== 'stop') return answer.kind === 'text' || answer.kind === 'too_large';
  return ['summary_auth', 'spend_limit', 'user_cancelled'].includes(answer.reason);
}

/** How a model is named among those that rest. */
export function nameOf({ provider, model }: ModelKey): string {
  return `${provider}/${model}`;
}

function keyOf(summariser: Summariser): [string, string] {
  const { provider, model } = modelKey(summariser);
  return [provider, model];
}

/** Nobody was asked: no failure, so it asks for no rest. */
function stop(reason: Reason, message: string): DeskStop {
  return { kind: 'stop', reason, policy: 'local', cooldownMs: null, message, model: null };
}

function cancelled(): DeskStop {
  return { ...stop('user_cancelled', 'stopped while a summary was written'), policy: 'abort' };
}

function failedAnswer(reason: Reason, message: string): SummaryAnswer {
  return { kind: 'failed', reason, policy: 'local', cooldownMs: 60_000, message };
}

function timedOut(ms: number): SummaryAnswer {
  return failedAnswer('summary_timeout', `the summary model gave no answer within ${ms} ms`);
}

function whenAborted(signal: AbortSignal): Promise<SummaryAnswer> {
  return new Promise((resolve) => {
    const done = (): void => resolve(failedAnswer('user_cancelled', 'stopped on request'));
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
}
