import type {
  Clock,
  Logger,
  ModelClient,
  ModelInfo,
  ModelMenu,
  ModelMenuEntry,
  ModelRefusal,
} from '@palimpsest/core';

import { chooseMainRoute, chooseNamedRoute, chooseSummaryRoute } from '../choose-route.ts';
import type { RouteChoice } from '../choose-route.ts';
import { openClient } from '../create-model.ts';
import type { ModelInput } from '../create-model.ts';
import { withFallback } from '../fallback/with-fallback.ts';
import { Recent } from '../recent.ts';
import type { Route } from '../route.ts';
import { askServer } from './ask-server.ts';
import type { ServerAnswer } from './ask-server.ts';
import { wrapClient } from './wrap-client.ts';

/** Servers change what they serve seldom, and are asked again after a failure soon. */
const answerLifeMs = 86_400_000;
const failureLifeMs = 600_000;
const longestName = 200;
/** Names that people typed are kept no longer than there is use for them. */
const mostModels = 200;

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
  return new Registry(input);
}

type Refused = Extract<ModelMenuEntry, { kind: 'refused' }>;
type Entry = { kind: 'model'; info: ModelInfo; client: ModelClient } | Refused;

class Registry implements ModelRegistry {
  readonly mainClient: ModelClient;
  readonly #input: RegistryInput;
  readonly #book: AnswerBook;
  readonly #clients = new Recent<ModelClient>(mostModels);
  readonly #backedClients = new Recent<ModelClient>(mostModels);
  readonly #summaryClients = new Recent<ModelClient>(mostModels);

  constructor(input: RegistryInput) {
    this.#input = input;
    this.#book = new AnswerBook(input.clock, input.fetch);
    this.mainClient = this.#backed(known(input.main, this.#mainRoute(), this.#book));
  }

  get main(): ModelInfo {
    return this.mainClient.info;
  }

  list(): readonly ModelInfo[] {
    const others = this.#input.config.model.choices.filter((name) => name !== this.main.name);
    const found = others.map((name) => this.#entry(name));
    return [this.main, ...found.flatMap((entry) => (entry.kind === 'model' ? [entry.info] : []))];
  }

  find(name: string): ModelMenuEntry {
    const entry = this.#entry(name.trim());
    return entry.kind === 'model' ? { kind: 'model', info: entry.info } : entry;
  }

  clientFor(name: string | undefined): ModelClient {
    if (name === undefined) return this.mainClient;
    const entry = this.#entry(name);
    if (entry.kind === 'model') return this.#backed(entry.client);
    this.#input.logger.warn(
      { model: name, why: entry.why },
      'a session wants a model that cannot be used; the main model answers',
    );
    return this.mainClient;
  }

  summaryClientFor(main: ModelClient): ModelClient {
    const { label } = main.info;
    const made = this.#summaryClients.get(label);
    if (made) return made;
    const { config, keys } = this.#input;
    const choice = chooseSummaryRoute(config, keys, main.info);
    const client = choice === 'main' ? main : this.#asked(choice);
    this.#summaryClients.set(label, client);
    return client;
  }

  async learn(): Promise<void> {
    if (this.#input.config.model.ask_provider) await this.#book.ask(this.#mainRoute());
    this.#tellUnusable();
    const { label, windowTokens, windowSource } = this.main;
    if (windowSource !== 'default') return;
    this.#input.logger.warn(
      { model: label, windowTokens },
      'nothing is known of the model: its window is taken as 128,000 tokens; set model.context_length',
    );
  }

  async close(): Promise<void> {
    for (const client of this.#clients.values()) await client.close?.();
  }

  /** A fallback that cannot be used is missed only when it is needed: it is said at the start. */
  #tellUnusable(): void {
    for (const name of this.#input.config.model.fallback) {
      const entry = name === this.main.name ? null : this.#usable(name);
      if (entry?.kind === 'refused')
        this.#input.logger.warn({ model: name, why: entry.why }, 'a model of model.fallback cannot be used');
    }
  }

  /** With the operator's fallback models behind it, those that can be used. */
  #backed(client: ModelClient): ModelClient {
    const { label } = client.info;
    const made = this.#backedClients.get(label);
    if (made) return made;
    const { config, clock } = this.#input;
    const others = config.model.fallback.flatMap((name) => {
      const entry = name === client.info.name ? null : this.#usable(name);
      return entry?.kind === 'model' ? [entry.client] : [];
    });
    const backed = withFallback(client, others, clock);
    this.#backedClients.set(label, backed);
    return backed;
  }

  #mainRoute(): Route | null {
    return routeOf(chooseMainRoute(this.#input.config, this.#input.keys));
  }

  #entry(name: string): Entry {
    const { main } = this;
    if (name === main.name || name === main.label)
      return { kind: 'model', info: main, client: this.mainClient };
    const { choices } = this.#input.config.model;
    const chosen = choices.find((choice) => choice === name) ?? this.#choiceLabelled(name) ?? name;
    return refusalOf(chosen, choices) ?? this.#usable(chosen);
  }

  /** Lists show models by their labels, and people name them as they are shown. */
  #choiceLabelled(label: string): string | undefined {
    return this.#input.config.model.choices.find((choice) => {
      const entry = this.#usable(choice);
      return entry.kind === 'model' && entry.info.label === label;
    });
  }

  /** Whatever the operator lets people choose. */
  #usable(name: string): Entry {
    const made = this.#clients.get(name);
    if (made) return { kind: 'model', info: made.info, client: made };
    try {
      return this.#open(name);
    } catch (thrown) {
      return refused('unusable', thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  #open(name: string): Entry {
    const { config, keys, main } = this.#input;
    const choice = chooseNamedRoute(name, { config, keys, main: main.info });
    if (!choice) return refused('not_served', `No provider with a key is known to serve ${name}.`);
    const client = this.#asked(choice);
    this.#clients.set(name, client);
    return { kind: 'model', info: client.info, client };
  }

  /** A new client, whose server is asked meanwhile what the model can hold. */
  #asked(choice: RouteChoice): ModelClient {
    const route = routeOf(choice);
    if (this.#input.config.model.ask_provider) void this.#book.ask(route);
    return known(openClient(choice, this.#input), route, this.#book);
  }
}

/** Whose word is a name: none of ours goes to a provider unless it looks like one. */
function refusalOf(name: string, choices: readonly string[]): Refused | null {
  if (name === '' || name.length > longestName || !/^[\w.:/@~+-]+$/.test(name))
    return refused('no_name', 'That is no name of a model.');
  if (choices.length === 0 || choices.includes(name)) return null;
  return refused('not_allowed', `The operator allows: ${choices.join(', ')}.`);
}

function refused(reason: ModelRefusal, why: string): Refused {
  return { kind: 'refused', reason, why };
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
  readonly #answers = new Recent<{ answer: ServerAnswer | null; untilMs: number }>(mostModels);

  constructor(clock: Clock, fetcher: typeof fetch | undefined) {
    this.#clock = clock;
    this.#fetch = fetcher;
  }

  of(route: Route): ServerAnswer | null {
    return this.#answers.get(keyOf(route))?.answer ?? null;
  }

  async ask(route: Route | null): Promise<void> {
    if (!route || route.info.windowSource === 'config') return;
    const nowMs = this.#clock.now().getTime();
    if ((this.#answers.get(keyOf(route))?.untilMs ?? 0) > nowMs) return;
    const answer = await askServer(route, this.#fetch);
    const before = this.of(route);
    this.#answers.set(keyOf(route), {
      answer: answer ?? before,
      untilMs: nowMs + (answer ? answerLifeMs : failureLifeMs),
    });
  }
}

/** Two servers may have models of one name. */
function keyOf({ baseUrl, model }: Route): string {
  return `${baseUrl} ${model}`;
}
