import { homedir } from 'node:os';
import { join } from 'node:path';

import { GatewayError, never } from '@palimpsest/core';
import type { Config, ModelClient } from '@palimpsest/core';

import { createAnthropicClient } from './anthropic/anthropic-client.ts';
import { chooseMainRoute, chooseSummaryRoute } from './choose-route.ts';
import type { ModelKeys, RouteChoice } from './choose-route.ts';
import { createAppServerClient } from './codex-app-server/app-server-client.ts';
import { openCodexSignIn } from './codex-sign-in/codex-sign-in.ts';
import { SignInFailed } from './codex-sign-in/sign-in-failed.ts';
import { modelFacts } from './models/model-table.ts';
import { pricedClient } from './models/priced-client.ts';
import { createOfflineClient } from './offline/offline-client.ts';
import { createOpenAiClient } from './openai-chat/openai-client.ts';
import { createResponsesClient } from './openai-responses/responses-client.ts';
import { issuerOf } from './route.ts';
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

/** The client of a route, with the price of each call in its usage. */
export function openClient(choice: RouteChoice, input: ModelInput): ModelClient {
  return pricedClient(openPlainClient(choice, input));
}

function openPlainClient(choice: RouteChoice, input: ModelInput): ModelClient {
  if (choice.kind === 'offline') return createOfflineClient(choice.info);
  const help: ClientHelp = {
    clock: input.clock,
    random: input.random,
    fetch: input.fetch,
    idleMs: input.idleMs ?? usualIdleMs,
  };
  return clientOf(choice.route, help, input);
}

function clientOf(route: Route, help: ClientHelp, input: ModelInput): ModelClient {
  switch (route.wire) {
    case 'anthropic_messages':
      return createAnthropicClient(route, help);
    case 'chat_completions':
      return createOpenAiClient(route, help);
    case 'responses':
      return createResponsesClient(route, help);
    case 'codex_responses':
      return createCodexClient(route, help, input.keys.codexHome ?? join(homedir(), '.codex'));
    case 'codex_app_server':
      return createThreadClient(route, help, input);
    default:
      return never(route.wire);
  }
}

/** Threads belong to the folder of the Codex program, whatever model goes on in them. */
function createThreadClient(route: Route, help: ClientHelp, { config, keys }: ModelInput): ModelClient {
  const codexHome = keys.codexHome ?? join(homedir(), '.codex');
  const baseUrl = 'stdio://codex-app-server';
  const issuer = issuerOf({ provider: route.provider, baseUrl, apiKey: codexHome, family: 'threads' });
  return createAppServerClient({ ...route, info: { ...route.info, issuer } }, help, {
    command: config.model.codex_command,
    environment: { ...keys.codexEnvironment, CODEX_HOME: codexHome },
    auto: config.compression.codex_app_server_auto,
  });
}

/** The subscription's account stands in for a key: opaque items are bound to it. */
function createCodexClient(route: Route, help: ClientHelp, codexHome: string): ModelClient {
  try {
    const signIn = openCodexSignIn(codexHome, help);
    const { family } = modelFacts(route.model);
    const issuer = issuerOf({ ...route, apiKey: signIn.accountId, family });
    return createResponsesClient({ ...route, info: { ...route.info, issuer } }, help, signIn);
  } catch (thrown) {
    if (!(thrown instanceof SignInFailed)) throw thrown;
    throw new GatewayError('config_invalid', `model.provider openai-codex: ${thrown.message}`, {
      cause: thrown,
    });
  }
}
