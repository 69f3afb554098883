import type { Clock, Logger, ModelClient, ModelInfo, ModelMenu, ModelMenuEntry } from '@palimpsest/core';

import { chooseMainRoute, chooseNamedRoute } from '../choose-route.ts';
import type { RouteChoice } from '../choose-route.ts';
import { createSummaryModel, openClient } from '../create-model.ts';
import type { ModelInput } from '../create-model.ts';
import type { Route } from '../route.ts';
import { askServer } from './ask-server.ts';
import type { ServerAnswer } from './ask-server.ts';
import { wrapClient } from './wrap-client.ts';

/** Servers change what they serve seldom, and are asked again after a failure soon. */
const answerLifeMs = 86_400_000;
const failureLifeMs = 600_000;
const longestName = 200;

export interface RegistryInput extends ModelInput {
  main: ModelClient;
  logger: Logger;
}

/** The models of one process: clients by name, each made once, and what their servers said of them. */
export interface ModelRegistry extends ModelMenu {
  /** The main model, whose window is what its server says once it has said so. */
  readonly mainClient: ModelClient;
  /** The model a session wants; undefined, and a name that no longer works: the main one. */
  clientFor(name: string | undefined): ModelClient;
  /** Who writes summaries where this model answers. */
  summaryClientFor(main: ModelClient): ModelClient;
  /** Ask the main model's server, and say in the log what is not known. */
  learn(): Promise<void>;
  close(): Promise<void>;
}

export function createModelRegistry(input: RegistryInput): ModelRegistry {
  const { config, keys, logger, clock } = input;
  const book = new AnswerBook(clock, input.fetch);
  const clients = new Map<string, ModelClient>();
  const summaryClients = new Map<string, ModelClient>();
  const mainClient = known(input.main, routeOf(chooseMainRoute(config, keys)), book);
  const ask = config.model.ask_provider;

  function entry(name: string): ModelMenuEntry & { client?: ModelClient } {
    if (name === mainClient.info.name) return { kind: 'model', info: mainClient.info, client: mainClient };
    const refused = refusalOf(name, config.model.choices);
    if (refused !== null) return { kind: 'refused', why: refused };
    const made = clients.get(name);
    if (made) return { kind: 'model', info: made.info, client: made };
    try {
      const choice = chooseNamedRoute(name, { config, keys, main: input.main.info });
      if (!choice) return { kind: 'refused', why: `No provider with a key is known to serve ${name}.` };
      const client = known(openClient(choice, input), routeOf(choice), book);
      clients.set(name, client);
      if (ask) void book.ask(routeOf(choice));
      return { kind: 'model', info: client.info, client };
    } catch (thrown) {
      return { kind: 'refused', why: thrown instanceof Error ? thrown.message : String(thrown) };
    }
  }

  return {
    mainClient,
    get main() {
      return mainClient.info;
    },
    list: () => [
      mainClient.info,
      ...config.model.choices.flatMap((name) => {
        const found = name === mainClient.info.name ? null : entry(name);
        return found?.kind === 'model' ? [found.info] : [];
      }),
    ],
    find: (name) => {
      const { client: _client, ...found } = entry(name.trim());
      return found;
    },
    clientFor(name) {
      if (name === undefined) return mainClient;
      const found = entry(name);
      if (found.client) return found.client;
      logger.warn({ model: name }, 'a session wants a model that cannot be used; the main model answers');
      return mainClient;
    },
    summaryClientFor(main) {
      const made = summaryClients.get(main.info.label) ?? createSummaryModel({ ...input, main });
      summaryClients.set(main.info.label, made);
      return made;
    },
    async learn() {
      if (ask) await book.ask(routeOf(chooseMainRoute(config, keys)));
      const { label, windowTokens, windowSource } = mainClient.info;
      if (windowSource !== 'default') return;
      logger.warn(
        { model: label, windowTokens },
        'nothing is known of the model: its window is taken as 128,000 tokens; set model.context_length',
      );
    },
    async close() {
      for (const client of clients.values()) await client.close?.();
    },
  };
}

/** Whose word is a name: none of ours goes to a provider unless it looks like one. */
function refusalOf(name: string, choices: readonly string[]): string | null {
  if (name === '' || name.length > longestName || !/^[\w.:/@~+-]+$/.test(name))
    return 'That is no name of a model.';
  if (choices.length === 0 || choices.includes(name)) return null;
  return `The operator allows: ${choices.join(', ')}.`;
}

function routeOf(choice: RouteChoice): Route | null {
  return choice.kind === 'route' ? choice.route : null;
}

/** Only what nobody wrote into the config is taken from the server. */
function known(client: ModelClient, route: Route | null, book: AnswerBook): ModelClient {
  if (!route) return client;
  return wrapClient(client, { info: () => withAnswer(client.info, book.of(route)) });
}

function withAnswer(info: ModelInfo, answer: ServerAnswer | null): ModelInfo {
  if (!answer || info.windowSource === 'config') return info;
  const windowTokens = answer.windowTokens ?? info.windowTokens;
  const price = info.pricePerMillion ?? answer.price;
  return {
    ...info,
    windowTokens,
    windowSource: answer.windowTokens === undefined ? info.windowSource : 'provider',
    maxOutputTokens: Math.min(answer.maxOutputTokens ?? info.maxOutputTokens, windowTokens),
    ...(price ? { pricePerMillion: price } : {}),
  };
}

/** Answers of servers by route, kept for a day. */
class AnswerBook {
  readonly #clock: Clock;
  readonly #fetch: typeof fetch | undefined;
  readonly #answers = new Map<string, { answer: ServerAnswer | null; untilMs: number }>();

  constructor(clock: Clock, fetcher: typeof fetch | undefined) {
    this.#clock = clock;
    this.#fetch = fetcher;
  }

  of(route: Route): ServerAnswer | null {
    return this.#answers.get(route.info.label)?.answer ?? null;
  }

  async ask(route: Route | null): Promise<void> {
    if (!route || route.info.windowSource === 'config') return;
    const nowMs = this.#clock.now().getTime();
    if ((this.#answers.get(route.info.label)?.untilMs ?? 0) > nowMs) return;
    const answer = await askServer(route, this.#fetch);
    const before = this.of(route);
    this.#answers.set(route.info.label, {
      answer: answer ?? before,
      untilMs: nowMs + (answer ? answerLifeMs : failureLifeMs),
    });
  }
}
