import { expect, test } from 'vitest';
import {
  silentTracer,
  systemClock,
  type ModelClient,
  type ModelEvent,
  type ModelRequest,
  type Tracer,
} from '@palimpsest/core';
import { createMeter, measuredModel } from '@palimpsest/metrics';

const client: ModelClient = {
  info: {
    provider: 'bench',
    name: 'small-model',
    label: 'bench/small-model',
    windowTokens: 8_000,
    windowSource: 'config',
    maxOutputTokens: 1_000,
    issuer: 'bench',
    caching: null,
  },
  async *stream() {
    yield { type: 'text', text: 'Yes.', block: 0 };
    yield {
      type: 'done',
      stop: 'end',
      usage: {
        promptTokens: 1_200,
        outputTokens: 30,
        cacheReadTokens: 1_000,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
        costDollars: 0.25,
      },
    };
  },
};
const request: ModelRequest = {
  sessionId: 's',
  system: [],
  messages: [],
  tools: [],
  maxTokens: 100,
  purpose: 'turn',
};

test('a call is counted with its model and its end, and the series of refusals is there before the first one', async () => {
  const meter = createMeter({ strict: true });
  const model = measuredModel(client, { meter, clock: systemClock });

  for await (const _ of model.stream(request, new AbortController().signal));

  const lines = (await meter.text()).split('\n');
  const of = (name: string) => lines.filter((line) => line.startsWith(`${name}{`));
  expect(of('gateway_llm_requests_total')).toEqual([
    'gateway_llm_requests_total{model="small-model",outcome="ok"} 1',
  ]);
  expect(of('gateway_context_overflow_errors_total')).toEqual([
    'gateway_context_overflow_errors_total{model="small-model",recovered="no"} 0',
  ]);
});

/** What the span of a call over these events came to hold. */
async function spanOf(events: readonly ModelEvent[]): Promise<object> {
  const seen: Record<string, unknown> = {};
  const span = {
    traceparent: null,
    set: (more: object) => void Object.assign(seen, more),
    fail() {},
    end() {},
  };
  const tracer: Tracer = { ...silentTracer, start: () => span };
  const talking: ModelClient = {
    ...client,
    async *stream() {
      yield* events;
    },
  };
  const model = measuredModel(talking, { meter: createMeter({ strict: true }), clock: systemClock, tracer });
  for await (const _ of model.stream(request, new AbortController().signal));
  return seen;
}

test('the span of a call says that the provider condensed, and never that it did not', async () => {
  const done: ModelEvent = { type: 'done', stop: 'end', usage: null };

  expect(
    await spanOf([{ type: 'compaction', runtime: 'responses', items: 1, tokensAfter: null }, done]),
  ).toHaveProperty(['gen_ai.conversation.compacted'], true);
  expect(await spanOf([done])).not.toHaveProperty(['gen_ai.conversation.compacted']);
});
