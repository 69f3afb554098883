import { estimateTokens, systemClock } from '@palimpsest/core';
import type {
  Clock,
  ModelClient,
  ModelFailure,
  ModelRequest,
  StopReason,
  Summariser,
  SummaryAnswer,
  SummaryRequest,
  Usage,
} from '@palimpsest/core';

import { refusalOf } from './summary-refusals.ts';

/** A summary may run over its target; an answer that is cut off is worth nothing. */
const targetTimes = 3;
const spareTokens = 4_000;
/** Our estimate may be this much too low; prompt and answer must fit the window together. */
const estimateMargin = 1.2;
const smallestAnswerTokens = 256;

export interface SummariserOptions {
  /** No sign of the model for this long ends the attempt, ms. */
  timeoutMs: number;
  /** One summary at most, ms. */
  ceilingMs: number;
  clock?: Clock;
}

/** The model behind an engine. Failures are values with what may be done about them; ladders are the caller's. */
export function createSummariser(client: ModelClient, options: SummariserOptions): Summariser {
  // Asked for anew each time: the model's own server may have told its window meanwhile.
  return {
    get model() {
      return client.info.name;
    },
    get provider() {
      return client.info.provider;
    },
    get windowTokens() {
      return client.info.windowTokens;
    },
    get pricePerMillion() {
      return client.info.pricePerMillion;
    },
    async summarise(request, signal) {
      const ended = await readSummary(client, toModelRequest(client, request), { ...options, signal });
      return toAnswer(ended, options.timeoutMs);
    },
  };
}

function toModelRequest(client: ModelClient, request: SummaryRequest): ModelRequest {
  const { maxOutputTokens, windowTokens } = client.info;
  const promptTokens = Math.ceil(
    (estimateTokens(request.system) + estimateTokens(request.prompt)) * estimateMargin,
  );
  const room = windowTokens - promptTokens;
  const wanted = request.targetTokens * targetTimes + spareTokens;
  return {
    sessionId: 'summary',
    system: [request.system],
    messages: [{ role: 'user', parts: [{ type: 'text', text: request.prompt }] }],
    tools: [],
    // Without room the provider says how much there really is.
    maxTokens: Math.max(
      Math.min(smallestAnswerTokens, maxOutputTokens),
      Math.min(wanted, maxOutputTokens, room),
    ),
    purpose: 'summary',
  };
}

type Ended =
  | { kind: 'done'; text: string; stop: StopReason; usage: Usage | null }
  | { kind: 'failed'; failure: ModelFailure }
  | { kind: 'stalled'; message: string }
  | { kind: 'cancelled' };

async function readSummary(
  client: ModelClient,
  request: ModelRequest,
  limits: SummariserOptions & { signal: AbortSignal },
): Promise<Ended> {
  const { signal, timeoutMs, ceilingMs, clock = systemClock } = limits;
  const attempt = new AbortController();
  const stop = (): void => attempt.abort();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const over = new AbortController();
  let stalled: string | null = null;
  const stallAfter = async (ms: number, until: AbortSignal, message: string): Promise<void> => {
    await clock.sleep(ms, until);
    if (until.aborted || over.signal.aborted) return;
    stalled = message;
    stop();
  };
  const silence = `the summary model gave no sign of progress for ${timeoutMs / 1000} s`;
  let idle = new AbortController();
  void stallAfter(ceilingMs, over.signal, `the summary was not done after ${ceilingMs / 1000} s`);
  void stallAfter(timeoutMs, idle.signal, silence);
  let text = '';
  try {
    for await (const event of client.stream(request, attempt.signal)) {
      idle.abort();
      idle = new AbortController();
      void stallAfter(timeoutMs, idle.signal, silence);
      if (event.type === 'text') text += event.text;
      if (event.type === 'done') return { kind: 'done', text, stop: event.stop, usage: event.usage };
      if (event.type !== 'failed') continue;
      if (event.failure.kind !== 'aborted') return { kind: 'failed', failure: event.failure };
      return stalled === null ? { kind: 'cancelled' } : { kind: 'stalled', message: stalled };
    }
    return stalled === null ? { kind: 'cancelled' } : { kind: 'stalled', message: stalled };
  } finally {
    over.abort();
    idle.abort();
    signal.removeEventListener('abort', stop);
  }
}

function toAnswer(ended: Ended, timeoutMs: number): SummaryAnswer {
  switch (ended.kind) {
    case 'cancelled':
      return {
        kind: 'failed',
        reason: 'user_cancelled',
        policy: 'abort',
        cooldownMs: 0,
        message: 'the summary was stopped on request',
      };
    case 'stalled':
      return {
        kind: 'failed',
        reason: 'summary_timeout',
        policy: 'local',
        // Never below the time it takes to see the next stall.
        cooldownMs: Math.max(60_000, timeoutMs),
        message: ended.message,
      };
    case 'failed':
      return refusalOf(ended.failure);
    case 'done':
      return judge(ended);
  }
}

/** Only a whole answer with words in it is a summary. */
function judge({ text, stop, usage }: Extract<Ended, { kind: 'done' }>): SummaryAnswer {
  const abort = (
    reason: 'summary_too_long' | 'summary_empty',
    cooldownMs: number,
    message: string,
  ): SummaryAnswer => ({
    kind: 'failed',
    reason,
    policy: 'abort',
    cooldownMs,
    message,
    usage,
  });
  switch (stop) {
    case 'max_tokens':
      return abort('summary_too_long', 60_000, 'the summary was cut off at the answer limit');
    case 'window_exceeded':
      return {
        kind: 'failed',
        reason: 'summary_context_too_small',
        policy: 'local',
        cooldownMs: 60_000,
        message: 'the window of the summary model is too small',
        usage,
      };
    case 'refusal':
      return abort('summary_empty', 30_000, 'the summary model refused');
    default:
      return text.trim() === ''
        ? abort('summary_empty', 30_000, 'the summary model answered nothing')
        : { kind: 'text', text, usage };
  }
}
