import { estimateOverhead, estimateParts } from '@palimpsest/core';
import type {
  Clock,
  ModelClient,
  ModelEvent,
  ModelFailure,
  ModelFailureKind,
  ModelInfo,
  ModelRequest,
} from '@palimpsest/core';

import { wrapClient } from '../models/wrap-client.ts';

/** Failures that another model may not have. A prompt that is too long or wrong is so everywhere; an abort is wanted. */
const passing: ReadonlySet<ModelFailureKind> = new Set([
  'rate_limited',
  'overloaded',
  'quota',
  'auth',
  'model_not_found',
  'timeout',
  'network',
  'stream_cut',
  'server_error',
]);

/** A session stays with the model it fell back to for so long: each way costs a full read of the conversation. */
const stayMs = 600_000;
/** Our estimate may be too low by this much. */
const estimateMargin = 1.1;
const mostSessions = 10_000;

/**
 * A model with others behind it, for turns only. When it fails for good before anything was said, the next one is asked,
 * and a `fell_back` event says so first, in either direction: nobody is ever moved in silence. A prompt past its window goes
 * to those with a larger one, once room was made for it in vain. Each client sends only its own issuer's items, so no model
 * gets another one's.
 */
export function withFallback(
  primary: ModelClient,
  others: readonly ModelClient[],
  clock: Clock,
): ModelClient {
  if (others.length === 0) return primary;
  const chain = [primary, ...others];
  const places = new Places(clock);
  return wrapClient(primary, {
    info: () => withWider(primary.info, others),
    stream: (request, signal) =>
      request.purpose === 'turn'
        ? streamThrough(chain, places, { request, signal })
        : primary.stream(request, signal),
  });
}

function withWider(info: ModelInfo, others: readonly ModelClient[]): ModelInfo {
  const widest = Math.max(...others.map((client) => client.info.windowTokens));
  return widest > info.windowTokens ? { ...info, widerWindowTokens: widest } : info;
}

const nobodyWider: ModelFailure = {
  kind: 'overflow',
  retryable: false,
  message: 'no fallback model with a larger window takes the prompt',
};

interface Asked {
  request: ModelRequest;
  signal: AbortSignal;
}

async function* streamThrough(
  chain: readonly ModelClient[],
  places: Places,
  { request, signal }: Asked,
): AsyncGenerator<ModelEvent> {
  const start = places.startOf(request.sessionId);
  let at = places.lastOf(request.sessionId);
  let first: ModelFailure | null = request.isPastWindow ? nobodyWider : null;
  let why: ModelFailureKind | null = first?.kind ?? null;
  const refusedTokens = request.isPastWindow ? chain[start]!.info.windowTokens : 0;
  for (let index = request.isPastWindow ? start + 1 : start; index < chain.length; index++) {
    const client = chain[index]!;
    if (client.info.windowTokens <= refusedTokens) continue;
    if (first && !fits(request, client)) continue;
    if (index !== at) yield { type: 'fell_back', from: chain[at]!.info.label, to: client.info.label, why };
    at = index;
    let said = false;
    for await (const event of client.stream(sized(request, client), signal)) {
      if (event.type === 'failed' && !said && passing.has(event.failure.kind) && index < chain.length - 1) {
        first ??= event.failure;
        why = event.failure.kind;
        break;
      }
      said ||= event.type !== 'retrying' && event.type !== 'failed';
      if (event.type === 'done') {
        places.keep(request.sessionId, index);
        return yield index === 0 ? event : answeredBy(event, client);
      }
      // Where all of them fail, the first one's failure is what the operator has to look at.
      yield event.type === 'failed' && first && !said ? { type: 'failed', failure: first } : event;
      if (event.type === 'failed') return;
    }
  }
  if (first) yield { type: 'failed', failure: first };
}

/** The bill names who wrote the answer, not whom the session wants. */
function answeredBy(
  done: Extract<ModelEvent, { type: 'done' }>,
  { info: { name, label } }: ModelClient,
): ModelEvent {
  return done.usage ? { ...done, usage: { ...done.usage, answeredBy: { name, label } } } : done;
}

function fits({ system, tools, messages }: ModelRequest, { info }: ModelClient): boolean {
  const overhead = estimateOverhead(system, tools);
  const tokens = messages.reduce((sum, { parts }) => sum + estimateParts(parts), overhead);
  return tokens * estimateMargin < info.windowTokens;
}

/** What this model takes of it: no more tokens than it answers with, and pictures only where it sees them. */
function sized({ images, ...request }: ModelRequest, { info }: ModelClient): ModelRequest {
  return {
    ...request,
    ...(images && info.takesImages ? { images } : {}),
    maxTokens: Math.min(request.maxTokens, info.maxOutputTokens),
  };
}

/** Which model of the chain a session is with. */
class Places {
  readonly #clock: Clock;
  readonly #sessions = new Map<string, { index: number; untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  lastOf(sessionId: string): number {
    return this.#sessions.get(sessionId)?.index ?? 0;
  }

  startOf(sessionId: string): number {
    const place = this.#sessions.get(sessionId);
    return place && place.untilMs > this.#clock.now().getTime() ? place.index : 0;
  }

  keep(sessionId: string, index: number): void {
    const old = this.#sessions.get(sessionId);
    const untilMs = old?.index === index ? old.untilMs : this.#clock.now().getTime() + stayMs;
    this.#sessions.delete(sessionId);
    if (index > 0) this.#sessions.set(sessionId, { index, untilMs });
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > mostSessions && oldest !== undefined) this.#sessions.delete(oldest);
  }
}
