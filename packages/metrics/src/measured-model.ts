import type { Clock, Meter, ModelClient, ModelEvent, ModelRequest, Usage } from '@palimpsest/core';

/** What a model call is measured with. */
export interface CallMeasures {
  meter: Meter;
  clock: Clock;
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
  { meter, clock }: CallMeasures,
): AsyncGenerator<ModelEvent> {
  const { purpose } = call.request;
  const startedAt = clock.now().getTime();
  const seconds = (): number => Math.max(0, (clock.now().getTime() - startedAt) / 1000);
  let firstSeconds: number | null = null;
  // A reader that leaves in mid-stream leaves it at that.
  let outcome = 'aborted';
  let model = info.name;
  try {
    for await (const event of call.events) {
      if (event.type === 'text' || event.type === 'tool_call') firstSeconds ??= seconds();
      if (event.type === 'failed') outcome = event.failure.kind;
      if (event.type === 'done') {
        outcome = 'ok';
        model = event.usage?.answeredBy?.name ?? model;
        if (event.usage) countUsage(meter, event.usage, { model, purpose });
      }
      yield event;
    }
  } finally {
    meter.count('gateway_llm_requests_total', { model, outcome });
    meter.observe('gateway_llm_request_duration_seconds', seconds(), { model, outcome });
    if (firstSeconds !== null)
      meter.observe('gateway_llm_time_to_first_token_seconds', firstSeconds, { model, outcome });
    if (purpose === 'summary')
      meter.observe('gateway_compaction_summary_duration_seconds', seconds(), { model, outcome });
  }
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
