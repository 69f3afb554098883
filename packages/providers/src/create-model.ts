import type { Config, ModelClient } from '@palimpsest/core';

import { createAnthropicClient } from './anthropic/anthropic-client.ts';
import { chooseMainRoute, chooseSummaryRoute } from './choose-route.ts';
import type { ModelKeys, RouteChoice } from './choose-route.ts';
import { createOfflineClient } from './offline/offline-client.ts';
import { createOpenAiClient } from './openai-chat/openai-client.ts';
import type { ClientHelp, Route } from './route.ts';

export interface ModelInput {
  config: Config;
  keys: ModelKeys;
  clock: ClientHelp['clock'];
  random: ClientHelp['random'];
  fetch?: typeof fetch;
  /** No event of a model for this long ends the attempt, ms. Providers ping more often than this while they think. */
  idleMs?: number;
}

/** Undici gives up on a silent body after 300 s; we say so a little earlier, in our own words. */
const usualIdleMs = 240_000;

/**
 * The model of the config: the provider named there, else the one whose key is set, else the offline responder.
 * throws config_invalid when a named provider has no key, or a custom one no address or name
 */
export function createModelClient(input: ModelInput): ModelClient {
  return openClient(chooseMainRoute(input.config, input.keys), input);
}

/** The model that writes summaries: `auxiliary.compression`, else the main model. */
export function createSummaryModel(input: ModelInput & { main: ModelClient }): ModelClient {
  const choice = chooseSummaryRoute(input.config, input.keys, input.main.info);
  return choice === 'main' ? input.main : openClient(choice, input);
}

function openClient(choice: RouteChoice, input: ModelInput): ModelClient {
  if (choice.kind === 'offline') return createOfflineClient(choice.info);
  const help: ClientHelp = {
    clock: input.clock,
    random: input.random,
    fetch: input.fetch,
    idleMs: input.idleMs ?? usualIdleMs,
  };
  return clientOf(choice.route, help);
}

function clientOf(route: Route, help: ClientHelp): ModelClient {
  return route.wire === 'anthropic_messages'
    ? createAnthropicClient(route, help)
    : createOpenAiClient(route, help);
}
