/** The fake Discord for tests, and the two clients tests point at it: discord.js and a bare socket. */
import { Client, Events, GatewayIntentBits, Options, Partials, type Message } from 'discord.js';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import {
  startFakeDiscord,
  type FakeDiscord,
  type FakeDiscordOptions,
  type DiscordUser,
} from '@palimpsest/testkit';
import { sharedPath } from './shared.ts';

export const ada: DiscordUser = { id: '1026115847244793211', username: 'ada' };
export const bob: DiscordUser = { id: '1015298820531500599', username: 'bob' };

/** Guilds, guild messages, direct messages and the content intent. */
export const usualIntents = 1 | (1 << 9) | (1 << 12) | (1 << 15);

/** Discord's OpenAPI document; tests of the fake are left out where it is missing. */
export const discordSchema = sharedPath('discord/openapi.json');

export function startDiscord(options: Partial<FakeDiscordOptions> = {}): Promise<FakeDiscord> {
  return startFakeDiscord({ schemaPath: discordSchema.path, ...options });
}

/** A discord.js client that is logged in and ready; destroyed at the end of the test's scope. */
export async function loginClient(discord: FakeDiscord): Promise<Client<true> & AsyncDisposable> {
  const client = makeClient(discord);
  const ready = once(client, Events.ClientReady);
  await client.login(discord.token);
  await ready;
  return Object.assign(client as Client<true>, { [Symbol.asyncDispose]: () => client.destroy() });
}

export function makeClient(discord: FakeDiscord): Client {
  const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;
  const client = new Client({
    intents: [Guilds, GuildMessages, DirectMessages, MessageContent],
    partials: [Partials.Channel],
    makeCache: Options.cacheWithLimits({ MessageManager: 20 }),
    rest: { api: discord.restApi },
  });
  client.on(Events.Error, () => {});
  return client;
}

/** The next message the client reports. */
export async function nextMessage(client: Client): Promise<Message> {
  const [message] = (await once(client, Events.MessageCreate)) as [Message];
  return message;
}

export interface BareFrame {
  op: number;
  d: unknown;
  s: number | null;
  t: string | null;
}

/** A socket of our own to the gateway, for everything discord.js would never send. */
export class BareSocket implements Disposable {
  readonly #socket: WebSocket;
  readonly #frames: BareFrame[] = [];
  readonly #closed: Promise<number>;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#frames.push(JSON.parse(data.toString()) as BareFrame));
    this.#closed = new Promise((resolve) => socket.once('close', (code) => resolve(code)));
  }

  /** Open a socket; HELLO is the first frame of `next`. */
  static open(discord: FakeDiscord, query = '?v=10&encoding=json'): BareSocket {
    return new BareSocket(new WebSocket(`${discord.gatewayUrl}/${query}`));
  }

  send(op: number, d: unknown): void {
    this.sendText(JSON.stringify({ op, d }));
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  identify(discord: FakeDiscord, intents = usualIntents): void {
    const properties = { os: 'linux', browser: 'test', device: 'test' };
    this.send(2, { token: discord.token, intents, properties });
  }

  /** The next frame in order of arrival. */
  async next(): Promise<BareFrame> {
    while (this.#frames.length === 0) await once(this.#socket, 'message');
    return this.#frames.shift() as BareFrame;
  }

  /** Skip frames up to the wanted event, and return that one. */
  async event(name: string): Promise<BareFrame> {
    let frame = await this.next();
    while (frame.t !== name) frame = await this.next();
    return frame;
  }

  /** The code the server closed with. */
  closeCode(): Promise<number> {
    return this.#closed;
  }

  async close(code: number): Promise<void> {
    this.#socket.close(code);
    await this.#closed;
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }
}

/** A REST call of our own; `path` starts below /api/v10. */
export function bareRequest(
  discord: FakeDiscord,
  call: { method?: string; path: string; body?: unknown; token?: string },
): Promise<Response> {
  return fetch(`${discord.restApi}/v10${call.path}`, {
    method: call.method ?? 'GET',
    headers: {
      authorization: `Bot ${call.token ?? discord.token}`,
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  });
}

/** A started fake with a clock that only the test moves, and one direct channel with Ada. */
export async function quietDiscord(options: Partial<FakeDiscordOptions> = {}) {
  const clock = { ms: 1_800_000_000_000, now: () => clock.ms };
  const discord = await startDiscord({ clock, ...options });
  const direct = discord.addDm(ada);
  return {
    clock,
    discord,
    direct,
    messages: `/channels/${direct.id}/messages`,
    [Symbol.asyncDispose]: () => discord.close(),
  };
}

/** POST a JSON body; `path` starts below /api/v10. */
export function barePost(discord: FakeDiscord, path: string, body: unknown): Promise<Response> {
  return bareRequest(discord, { method: 'POST', path, body });
}

/** A bare socket with a fresh session, its READY and GUILD_CREATEs already read. */
export async function openSession(discord: FakeDiscord): Promise<{ socket: BareSocket; id: string }> {
  const socket = BareSocket.open(discord);
  await socket.next();
  socket.identify(discord);
  const ready = await socket.next();
  for (const _guild of (ready.d as { guilds: unknown[] }).guilds) await socket.next();
  return { socket, id: (ready.d as { session_id: string }).session_id };
}
