import {
  silentTracer,
  type Clock,
  type Meter,
  type ModelClient,
  type ModelEvent,
  type ModelRequest,
  type SpanAttributes,
  type Tracer,
  type Usage,
} from '@palimpsest/core';

/** What a model call is measured with. */
export interface CallMeasures {
  meter: Meter;
  clock: Clock;
  /** Left out: nothing is traced. */
  tracer?: Tracer;
}

/** A client whose calls are measured: how many, how long, how they end, what they take and cost. All else goes through. */
export function measuredModel(client: ModelClient, measures: CallMeasures): ModelClient {
  const { compactThread, close } = client;
  return {
    get info() {
      return client.info;
    },
    stream: (request, signal) =>
      measured(client, { request, events: client.stream(request, signal) }, measures),
    ...(compactThread ? { compactThread: compactThread.bind(client) } : {}),
    ...(close ? { close: close.bind(client) } : {}),
  };
}

async function* measured(
  { info }: ModelClient,
  call: { request: ModelRequest; events: AsyncIterable<ModelEvent> },
  { meter, clock, tracer = silentTracer }: CallMeasures,
): AsyncGenerator<ModelEvent> {
  const { purpose } = call.request;
  const startedAt = clock.now().getTime();
  // There before the first refusal: of a series that begins at 1 no alert sees an increase.
  meter.count('gateway_context_overflow_errors_total', { model: info.name, recovered: 'no' }, 0);
  const seconds = (): number => Math.max(0, (clock.now().getTime() - startedAt) / 1000);
  let firstSeconds: number | null = null;
  // A reader that leaves in mid-stream leaves it at that.
  let outcome = 'aborted';
  let model = info.name;
  // A generator runs in the pieces that its reader asks for, so its span is no surrounding one.
  const span = tracer.start('llm.request', { attributes: requestAttributes(info, purpose) });
  try {
    for await (const event of call.events) {
      if (event.type === 'text' || event.type === 'tool_call') firstSeconds ??= seconds();
      if (event.type === 'failed') outcome = event.failure.kind;
      // True or left out, never false.
      if (event.type === 'compaction') span.set({ 'gen_ai.conversation.compacted': true });
      if (event.type === 'done') {
        outcome = 'ok';
        model = event.usage?.answeredBy?.name ?? model;
        if (event.usage) countUsage(meter, event.usage, { model, purpose });
        span.set({ 'gen_ai.response.model': model, ...usageAttributes(event.usage) });
      }
      yield event;
    }
  } finally {
    if (outcome !== 'ok') span.fail(outcome);
    span.end();
    meter.count('gateway_llm_requests_total', { model, outcome });
    meter.observe('gateway_llm_request_duration_seconds', seconds(), { model, outcome });
    if (firstSeconds !== null)
      meter.observe('gateway_llm_time_to_first_token_seconds', firstSeconds, { model, outcome });
    if (purpose === 'summary')
      meter.observe('gateway_compaction_summary_duration_seconds', seconds(), { model, outcome });
  }
}

/** As OpenTelemetry's conventions for generative models have it, without anything that was said. */
function requestAttributes(info: ModelClient['info'], purpose: ModelRequest['purpose']): SpanAttributes {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': info.provider,
    'gen_ai.request.model': info.name,
    'gateway.purpose': purpose,
  };
}

function usageAttributes(usage: Usage | null): SpanAttributes {
  if (!usage) return {};
  return {
    'gen_ai.usage.input_tokens': usage.promptTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
  };
}

function countUsage(
  meter: Meter,
  usage: Usage,
  { model, purpose }: { model: string; purpose: ModelRequest['purpose'] },
): void {
  const labels = { model, purpose };
  const input = Math.max(0, usage.promptTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
  meter.count('gateway_llm_tokens_total', { ...labels, type: 'input' }, input);
  meter.count('gateway_llm_tokens_total', { ...labels, type: 'output' }, usage.outputTokens);
  meter.count('gateway_llm_tokens_total', { ...labels, type: 'cache_read' }, usage.cacheReadTokens);
  meter.count('gateway_llm_tokens_total', { ...labels, type: 'cache_write' }, usage.cacheWriteTokens);
  meter.count('gateway_llm_tokens_total', { ...labels, type: 'reasoning' }, usage.reasoningTokens);
  if (usage.costDollars === undefined) return;
  meter.count('gateway_llm_cost_usd_total', { model, purpose }, usage.costDollars);
  if (purpose === 'summary') meter.count('gateway_compaction_cost_usd_total', { model }, usage.costDollars);
}
