import { callDollars } from '@palimpsest/core';
import type { ModelClient, ModelEvent, ModelInfo, Usage } from '@palimpsest/core';

import { wrapClient } from './wrap-client.ts';

/** A client whose usage says what the call cost: by the provider's own bill, else by the price that is known. */
export function pricedClient(client: ModelClient): ModelClient {
  return wrapClient(client, {
    stream: (request, signal) => priced(client.stream(request, signal), client.info),
  });
}

async function* priced(events: AsyncIterable<ModelEvent>, info: ModelInfo): AsyncGenerator<ModelEvent> {
  for await (const event of events) {
    yield event.type === 'done' && event.usage ? { ...event, usage: withCost(event.usage, info) } : event;
  }
}

function withCost(usage: Usage, { pricePerMillion }: ModelInfo): Usage {
  const dollars = billedDollars(usage.raw) ?? (pricePerMillion ? callDollars(usage, pricePerMillion) : null);
  return dollars === null ? usage : { ...usage, costDollars: dollars };
}

/** OpenRouter writes into the usage what it took. */
function billedDollars(raw: unknown): number | null {
  if (raw === null || typeof raw !== 'object' || !('cost' in raw)) return null;
  return typeof raw.cost === 'number' && raw.cost >= 0 ? raw.cost : null;
}
