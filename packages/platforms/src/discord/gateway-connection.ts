/** One connection to Discord's gateway: discord.js connects, resumes and beats; we take its frames before it reads them. */
import type { Clock, Logger, Meter } from '@palimpsest/core';
import { Client, Events, GatewayIntentBits, Options, Partials, type REST } from 'discord.js';
import { steadied } from './steady-limits.ts';
import { CalmShards } from './calm-shards.ts';
import { isFields } from './read-fields.ts';
import type { InvalidRequests } from './invalid-requests.ts';
import { refuseBans } from './rest-limits.ts';

/** The library waits for the answer to its close frame for as long as the other side is silent. */
const closeWaitMs = 1_000;

export interface ConnectionOptions {
  token: string;
  apiRoot: string | null;
  /** False: only direct messages and messages that mention the bot have a text. */
  messageContent: boolean;
  logger: Logger;
  meter: Meter;
  clock: Clock;
  /** Refused requests of everything that asks Discord from this address. */
  invalidRequests: InvalidRequests;
}

export interface ConnectionEvents {
  /** One event, in order of arrival: the `t` and `d` of the frame. */
  onDispatch(type: string, data: unknown): void;
  onAlive(): void;
  /** Closed with a code after which discord.js does not connect again. */
  onRefused(code: number): void;
  onReconnecting(): void;
}

export class GatewayConnection {
  readonly #options: ConnectionOptions;
  readonly #events: ConnectionEvents;
  readonly #client: Client;
  readonly #shards = new CalmShards((thrown) => this.#noteFault(thrown));
  #over = false;

  constructor(options: ConnectionOptions, events: ConnectionEvents) {
    this.#options = options;
    this.#events = events;
    this.#client = new Client({
      intents: intentsFor(options.messageContent),
      partials: [Partials.Channel],
      makeCache: Options.cacheWithLimits({
        MessageManager: 0,
        ReactionManager: 0,
        PresenceManager: 0,
        GuildMemberManager: 0,
      }),
      rest: {
        version: '10',
        rejectOnRateLimit: refuseBans,
        ...(options.apiRoot === null ? {} : { api: options.apiRoot }),
      },
      ws: {
        buildStrategy: (manager) => this.#shards.build(manager),
      },
    });
    options.invalidRequests.watch(this.#client.rest);
    this.#listen();
  }

  /** Waits out rate limits by itself; bans excepted. */
  get rest(): REST {
    return steadied(this.#client.rest);
  }

  /** Resolves after the first READY; throws what discord.js throws. */
  async open(): Promise<void> {
    await this.#client.login(this.#options.token);
  }

  /** Close for good. Never throws; what the other side still says is not listened to. */
  async close(): Promise<void> {
    this.#over = true;
    this.#shards.end();
    const closed = this.#client.destroy().catch((thrown: unknown) => this.#noteFault(thrown));
    await Promise.race([closed, this.#options.clock.sleep(closeWaitMs)]);
    this.#shards.cutSockets();
  }

  #listen(): void {
    const client = this.#client;
    // Caches and structures are not needed here, and what the library's readers throw at an unknown frame is thrown
    // where nobody can catch it. So frames end in our hands.
    Object.defineProperty(client.ws, 'handlePacket', { value: () => false });
    client.on(Events.Raw, (frame: unknown, shardId: number) => this.#take(frame, shardId));
    client.on(Events.Debug, (text) => this.#readDebug(text));
    client.on(Events.ShardDisconnect, ({ code }) => this.#report(() => this.#events.onRefused(code)));
    client.on(Events.ShardReconnecting, () => this.#reconnecting());
    client.on(Events.ShardError, (error) => this.#noteFault(error));
    client.on(Events.Error, (error) => this.#noteFault(error));
  }

  #take(frame: unknown, shardId: number): void {
    if (this.#over || !isFields(frame) || typeof frame['t'] !== 'string') return;
    const { t: type, d: data } = frame;
    this.#countState(type);
    const shard = String(shardId);
    this.#options.meter.set('gateway_discord_last_dispatch_timestamp_seconds', this.#nowSeconds(), { shard });
    this.#alive(shard);
    this.#report(() => this.#events.onDispatch(type, data));
  }

  #countState(type: string): void {
    if (type === 'READY') this.#count('ready');
    if (type === 'RESUMED') this.#count('resumed');
  }

  /** The library says these only here; the texts are its own and hold nothing of a person's. */
  #readDebug(text: string): void {
    if (this.#over) return;
    const beat = /Shard (\d+)\] Heartbeat acknowledged, latency of (\d+)ms/.exec(text);
    if (beat) this.#beat(beat[1]!, Number(beat[2]));
    if (text.includes('Reason: Zombie connection')) this.#count('zombie');
    if (text.includes('Invalid session;')) this.#count('invalid_session');
  }

  #beat(shard: string, latencyMs: number): void {
    this.#options.meter.set('gateway_discord_heartbeat_latency_seconds', latencyMs / 1_000, { shard });
    this.#alive(shard);
  }

  /** A quiet server sends no events for hours; only the heartbeats say that it is still heard. */
  #alive(shard: string): void {
    this.#options.meter.set('gateway_discord_last_alive_timestamp_seconds', this.#nowSeconds(), { shard });
    this.#report(() => this.#events.onAlive());
  }

  #nowSeconds(): number {
    return this.#options.clock.now().getTime() / 1_000;
  }

  #reconnecting(): void {
    if (this.#over) return;
    this.#count('reconnect');
    this.#report(() => this.#events.onReconnecting());
  }

  #count(event: 'ready' | 'resumed' | 'invalid_session' | 'reconnect' | 'zombie'): void {
    this.#options.meter.count('gateway_discord_gateway_events_total', { event });
  }

  /** The library's emitter would carry a throw of ours into its own connection. */
  #report(tell: () => void): void {
    try {
      tell();
    } catch (thrown) {
      this.#noteFault(thrown);
    }
  }

  #noteFault(thrown: unknown): void {
    const name = thrown instanceof Error ? thrown.name : typeof thrown;
    const problem = thrown instanceof Error ? thrown.message : '';
    this.#options.logger.warn({ name, problem }, 'fault in the connection to Discord; it goes on');
  }
}

function intentsFor(messageContent: boolean): GatewayIntentBits[] {
  const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;
  return messageContent
    ? [Guilds, GuildMessages, DirectMessages, MessageContent]
    : [Guilds, GuildMessages, DirectMessages];
}
