/** One run of the listener: connect, keep the order, watch for silence, end in one of four ways. */
import {
  GatewayError,
  type AccountRef,
  type Clock,
  type CommandMenu,
  type Logger,
  type Meter,
  type StoreUpdates,
} from '@palimpsest/core';
import { DiscordAPIError, RateLimitError } from 'discord.js';
import { backfill, type BackfillPoints } from './backfill.ts';
import { disallowedIntents, fatalClose } from './close-codes.ts';
import { DeferredAnswers } from './deferred-answers.ts';
import { deployCommands } from './deploy-commands.ts';
import { EventLine } from './event-line.ts';
import { FirmStore } from './firm-store.ts';
import { GatewayConnection } from './gateway-connection.ts';
import { normaliseDispatch, storedDispatches, type BotUser } from './normalise-dispatch.ts';
import type { InvalidRequests } from './invalid-requests.ts';
import { limitOf } from './rest-limits.ts';
import { isFields, optionalFields, optionalText } from './read-fields.ts';

export interface ListeningOptions {
  token: string;
  apiRoot: string | null;
  account: AccountRef;
  messageContent: boolean;
  store: StoreUpdates;
  backfillPoints: BackfillPoints;
  /** Left out: no slash commands are deployed. */
  menu?: CommandMenu;
  onAlive: (at: Date) => void;
  logger: Logger;
  meter: Meter;
  clock: Clock;
  /** Refused requests of everything that asks Discord from this address. */
  invalidRequests: InvalidRequests;
  readyTimeoutMs: number;
}

/** What is on its way when the end comes may still be stored for this long. */
const drainMs = 2_000;
/** Heartbeats are 41 s apart and the library reconnects after one without answer; this is for when it does not. */
const silenceMs = 180_000;
const longestLookMs = 5_000;
/** A thousand sessions a day; used up, a new one is hours away. */
const outOfSessionsRestMs = 60_000;

export class ListeningSession {
  readonly #options: ListeningOptions;
  readonly #ending = new AbortController();
  /** Settles with the reason why it ends. */
  readonly #end = Promise.withResolvers<'stopped' | 'content_refused'>();
  readonly #connection: GatewayConnection;
  readonly #deferred: DeferredAnswers;
  #line: EventLine | null = null;
  #firmStore: FirmStore | null = null;
  #bot: BotUser;
  #lastAliveMs: number;
  /** Since when there is no session; null while there is one. */
  #withoutSessionSinceMs: number | null;

  constructor(options: ListeningOptions) {
    this.#options = options;
    this.#bot = { id: options.account.id, name: null };
    this.#lastAliveMs = options.clock.now().getTime();
    this.#withoutSessionSinceMs = this.#lastAliveMs;
    this.#deferred = new DeferredAnswers(() => this.#connection.rest, options.logger);
    this.#connection = new GatewayConnection(options, {
      onDispatch: (type, data) => this.#take(type, data),
      onAlive: () => this.#alive(),
      onRefused: (code) => this.#refused(code),
      onReconnecting: () => (this.#withoutSessionSinceMs ??= this.#nowMs()),
    });
  }

  /** Ends `content_refused` after close code 4014; throws platform_unauthorised and platform_unavailable. */
  async run(signal: AbortSignal): Promise<'stopped' | 'content_refused'> {
    if (signal.aborted) return 'stopped';
    const stop = (): void => this.#end.resolve('stopped');
    signal.addEventListener('abort', stop, { once: true });
    const store = this.#deferred.removingRefused(this.#options.store);
    this.#firmStore = new FirmStore(store, this.#ending.signal, this.#options);
    this.#line = new EventLine(this.#firmStore, (thrown) => this.#lost(thrown));
    void this.#open();
    void this.#watch();
    try {
      return await this.#end.promise;
    } finally {
      signal.removeEventListener('abort', stop);
      await this.#finish(this.#line);
    }
  }

  async #finish(line: EventLine): Promise<void> {
    this.#ending.abort();
    await this.#connection.close();
    await Promise.race([line.empty(), this.#options.clock.sleep(drainMs)]);
  }

  async #open(): Promise<void> {
    try {
      await this.#connection.open();
    } catch (thrown) {
      const restMs = restBeforeLogin(thrown);
      if (restMs > 0) await this.#options.clock.sleep(restMs, this.#ending.signal);
      // A fatal close code has already told why.
      this.#end.reject(loginError(thrown));
    }
  }

  #take(type: string, data: unknown): void {
    if (type === 'READY') this.#ready(data);
    if (type === 'RESUMED') this.#withoutSessionSinceMs = null;
    if (!storedDispatches.has(type)) return;
    const update = normaliseDispatch(type, data, this.#bot);
    const interaction = update.content.kind === 'message' ? update.content.interaction : undefined;
    // The answer may be ready before Discord has heard that there will be one, so the sign comes first.
    if (interaction) void this.#deferred.defer(interaction).then(() => this.#line?.put(update));
    else this.#line?.put(update);
  }

  /** A fresh session: what happened since the last one is only in the channels' history. */
  #ready(data: unknown): void {
    this.#withoutSessionSinceMs = null;
    const user = isFields(data) ? optionalFields(data, 'user') : undefined;
    const id = user === undefined ? undefined : optionalText(user, 'id');
    if (user !== undefined && id !== undefined)
      this.#bot = { id, name: optionalText(user, 'username') ?? null };
    this.#options.logger.info(
      { account: this.#options.account.id, botUser: this.#bot.id },
      'connected to Discord',
    );
    this.#deploy(data);
    const bot = this.#bot;
    const { account, backfillPoints } = this.#options;
    this.#line?.put(() =>
      backfill({
        ...this.#options,
        rest: this.#connection.rest,
        store: this.#firmStore!,
        points: () => backfillPoints(account),
        bot,
        signal: this.#ending.signal,
      }),
    );
  }

  #deploy(data: unknown): void {
    const { menu, logger } = this.#options;
    const application = isFields(data) ? optionalFields(data, 'application') : undefined;
    const applicationId = application === undefined ? undefined : optionalText(application, 'id');
    if (menu && applicationId !== undefined)
      void deployCommands({ rest: this.#connection.rest, applicationId, menu, logger });
  }

  #alive(): void {
    const now = this.#options.clock.now();
    this.#lastAliveMs = now.getTime();
    this.#options.onAlive(now);
  }

  #refused(code: number): void {
    if (code === disallowedIntents) return this.#end.resolve('content_refused');
    this.#end.reject(fatalClose(code) ?? unavailable(`Discord closed the connection with ${code} for good`));
  }

  async #watch(): Promise<void> {
    const { clock, readyTimeoutMs } = this.#options;
    const lookMs = Math.min(longestLookMs, readyTimeoutMs / 4);
    while (!this.#ending.signal.aborted) {
      const now = this.#nowMs();
      // The clock was set back.
      if (now < this.#lastAliveMs) this.#lastAliveMs = now;
      const since = this.#withoutSessionSinceMs;
      if (since !== null && now - since > readyTimeoutMs)
        this.#end.reject(unavailable(`no session with Discord within ${readyTimeoutMs} ms`));
      if (now - this.#lastAliveMs > silenceMs)
        this.#end.reject(unavailable(`Discord has been silent for ${silenceMs} ms`));
      await clock.sleep(lookMs, this.#ending.signal);
    }
  }

  #lost(thrown: unknown): void {
    const code = thrown instanceof GatewayError ? thrown.code : 'internal';
    this.#options.logger.warn(
      { code },
      'events not stored before the end; known channels are read again at the next start',
    );
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }
}

function unavailable(problem: string, cause?: unknown): GatewayError {
  return new GatewayError('platform_unavailable', `${problem}; it is tried again`, {
    retryable: true,
    cause,
  });
}

/** The listener is started again within seconds; these two would be answered the same way and make it worse. */
function restBeforeLogin(thrown: unknown): number {
  if (thrown instanceof RateLimitError) return limitOf(thrown).waitMs;
  return isOutOfSessions(thrown) ? outOfSessionsRestMs : 0;
}

function isOutOfSessions(thrown: unknown): thrown is Error {
  return thrown instanceof Error && thrown.message.startsWith('Not enough sessions');
}

/** Errors of the library carry the request; only their names and codes go into ours. */
function loginError(thrown: unknown): GatewayError {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  if (code === 'TokenInvalid') {
    return new GatewayError(
      'platform_unauthorised',
      'Discord refused the token (401); put the bot token of the developer portal into DISCORD_BOT_TOKEN',
    );
  }
  if (thrown instanceof RateLimitError) return unavailable('Discord limits this address');
  if (thrown instanceof DiscordAPIError) return unavailable(`Discord answered ${thrown.status} to the login`);
  // The library's own sentence, with the time when Discord lets the bot in again.
  if (isOutOfSessions(thrown)) return unavailable(thrown.message);
  return unavailable(
    `Discord cannot be reached (${code || (thrown instanceof Error ? thrown.name : typeof thrown)})`,
  );
}
