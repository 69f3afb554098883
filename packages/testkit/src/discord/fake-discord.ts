/**
 * A strict Discord on loopback: REST and gateway, refusing what the real one refuses.
 * Everything it noticed being wrong stands in `violations`; a test asserts that list is empty.
 */
import { Cdn } from './cdn.ts';
import { Gateway } from './gateway.ts';
import { InteractionDesk, type Interaction } from './interaction-desk.ts';
import { settleOptions, type FakeDiscordOptions } from './options.ts';
import { RequestSchemas } from './request-schemas.ts';
import type { FakeParts } from './rest-call.ts';
import { RestFaults, type PreparedAnswer } from './rest-faults.ts';
import { RestServer, type JournalEntry } from './rest-server.ts';
import { SentBox, type SentMessage } from './sent-box.ts';
import { makeSnowflakes } from './snowflakes.ts';
import { UserActions, type UserMessage } from './user-actions.ts';
import { showChannel, showGuild, type WireObject } from './wire-shape.ts';
import { World, type FakeChannel, type FakeGuild, type FakeUser, type StoredMessage } from './world.ts';

/** Start the fake on two free ports of 127.0.0.1; throws when the schema file cannot be read. */
export async function startFakeDiscord(options: FakeDiscordOptions): Promise<FakeDiscord> {
  const settings = settleOptions(options);
  const schemas = await RequestSchemas.load(settings.schemaPath);
  const world = new World();
  const botUser = world.rememberUser({ id: settings.applicationId, username: 'palimpsest', bot: true });
  const violations: string[] = [];
  const parts: FakeParts = {
    settings,
    world,
    botUser,
    botId: botUser.id,
    violations,
    cdn: new Cdn(settings.clock),
    gateway: new Gateway({ settings, world, botUser, violations }),
    desk: new InteractionDesk(settings.clock),
    sentBox: new SentBox(),
    nextId: makeSnowflakes(settings.clock),
    commands: new Map(),
  };
  const faults = new RestFaults();
  const rest = new RestServer(parts, schemas, faults);
  await parts.gateway.listen();
  parts.cdn.baseUrl = await rest.listen();
  return new FakeDiscord(parts, rest, faults);
}

/** The running fake; made by `startFakeDiscord`, closed by `await using` or `close()`. */
export class FakeDiscord implements AsyncDisposable {
  readonly token: string;
  readonly applicationId: string;
  readonly botUser: FakeUser;
  /** Every breach of Discord's rules so far; empty it after breaking one on purpose. */
  readonly violations: string[];
  /** Every REST request, oldest first. */
  readonly requests: JournalEntry[];
  /** What discord.js wants as `rest.api`: the root without version. */
  readonly restApi: string;
  readonly gatewayUrl: string;
  readonly #parts: FakeParts;
  readonly #rest: RestServer;
  readonly #faults: RestFaults;
  readonly #people: UserActions;

  constructor(parts: FakeParts, rest: RestServer, faults: RestFaults) {
    this.token = parts.settings.token;
    this.applicationId = parts.settings.applicationId;
    this.botUser = parts.botUser;
    this.violations = parts.violations;
    this.requests = rest.requests;
    this.restApi = `${parts.cdn.baseUrl}/api`;
    this.gatewayUrl = parts.gateway.url;
    this.#parts = parts;
    this.#rest = rest;
    this.#faults = faults;
    this.#people = new UserActions(parts);
  }

  /** Add a guild with the bot in it; sessions with the guilds intent get GUILD_CREATE. */
  addGuild(wish: { id?: string; name?: string; members?: readonly FakeUser[] } = {}): FakeGuild {
    const members = [...(wish.members ?? [])];
    members.forEach((member) => this.#parts.world.rememberUser(member));
    const guild = {
      id: wish.id ?? this.#parts.nextId(),
      name: wish.name ?? 'guild',
      ownerId: members[0]?.id ?? this.botUser.id,
      members: [this.botUser, ...members],
    };
    this.#parts.world.guilds.set(guild.id, guild);
    const botId = this.botUser.id;
    this.#parts.gateway.dispatch('GUILD_CREATE', ({ intents }) =>
      showGuild(this.#parts.world, guild, { intents, botId }),
    );
    return guild;
  }

  addTextChannel(wish: { guildId: string; id?: string; name?: string }): FakeChannel {
    return this.#addToGuild('CHANNEL_CREATE', {
      id: wish.id ?? this.#parts.nextId(),
      type: 0,
      name: wish.name ?? 'general',
      guildId: wish.guildId,
    });
  }

  addThread(wish: {
    parentId: string;
    id?: string;
    name?: string;
    archived?: boolean;
    locked?: boolean;
  }): FakeChannel {
    const { guildId } = this.#parts.world.channel(wish.parentId);
    return this.#addToGuild('THREAD_CREATE', {
      type: 11,
      guildId,
      ...wish,
      id: wish.id ?? this.#parts.nextId(),
      name: wish.name ?? 'thread',
    });
  }

  /** Open the direct channel of a user; the bot hears nothing of it, as on Discord. */
  addDm(user: FakeUser, id?: string): FakeChannel {
    this.#parts.world.rememberUser(user);
    const channel = this.#parts.world.directChannelWith(user.id) ?? {
      id: id ?? this.#parts.nextId(),
      type: 1 as const,
      recipient: user,
    };
    this.#parts.world.channels.set(channel.id, channel);
    return channel;
  }

  userSends(message: UserMessage): StoredMessage {
    return this.#people.sends(message);
  }

  userEdits(edit: { channelId: string; messageId: string; content: string }): void {
    this.#people.edits(edit);
  }

  userDeletes(place: { channelId: string; messageId: string }): void {
    this.#people.deletes(place.channelId, place.messageId);
  }

  /** MESSAGE_UPDATE by a link preview; nobody edited the text. */
  unfoldLink(place: { channelId: string; messageId: string }): void {
    this.#people.unfoldsLink(place.channelId, place.messageId);
  }

  /** MESSAGE_UPDATE by a pin; nobody edited the text. */
  pin(place: { channelId: string; messageId: string }): void {
    this.#people.pins(place.channelId, place.messageId);
  }

  /** Use a command the bot has deployed; throws when it has not. */
  userInvokes(wish: {
    channelId: string;
    user: FakeUser;
    name: string;
    options?: readonly WireObject[];
    locale?: string;
  }): Interaction {
    return this.#people.invokes(wish);
  }

  /** Send an event as it is, for recorded frames; intents still filter and blank it. */
  dispatchRaw(event: string, data: WireObject): void {
    this.#parts.gateway.dispatch(event, data);
  }

  /** Messages of the bot in a channel, oldest first. */
  sent(channelId: string): SentMessage[] {
    return this.#parts.sentBox.in(channelId);
  }

  /** Wait for a message of the bot that fits; looked at when sent and after each edit. */
  waitForSent(matches: (message: SentMessage) => boolean, timeoutMs: number): Promise<SentMessage> {
    return this.#parts.sentBox.waitFor(matches, timeoutMs);
  }

  /** Messages of a channel by anyone, oldest first. */
  history(channelId: string): readonly StoredMessage[] {
    return this.#parts.world.history(channelId);
  }

  /** Number of sockets that hold a session now. */
  get connected(): number {
    return this.#parts.gateway.connected;
  }

  /** What the gateway saw, one line each: `identify <intents>`, `resume <seq>`, `invalid session`, `close <code>`, `left <code>`. */
  get gatewayLog(): readonly string[] {
    return this.#parts.gateway.log;
  }

  get heartbeats(): number {
    return this.#parts.gateway.heartbeats;
  }

  /** Close every socket; without a code the line is cut (the client sees 1006). Sessions stay resumable. */
  closeSockets(code?: number): void {
    this.#parts.gateway.closeSockets(code);
  }

  /** Ask every client to reconnect and resume (op 7). */
  sendReconnect(): void {
    this.#parts.gateway.sendControl(7, null);
  }

  /** Op 9: resumable asks for a RESUME (on the same socket or a new one), otherwise all sessions are forgotten. */
  invalidSession(resumable: boolean): void {
    this.#parts.gateway.detachSessions(resumable);
    this.#parts.gateway.sendControl(9, resumable);
  }

  /** Ask every client for a heartbeat at once (op 1). */
  requestHeartbeat(): void {
    this.#parts.gateway.sendControl(1, null);
  }

  /** From now on the open sockets hear nothing; events go to the history and to the sessions' replay only. */
  muteSocket(): void {
    this.#parts.gateway.mute();
  }

  /**
   * End the silence by closing the muted sockets with 4000.
   *
   * resumable   true: RESUME replays what was missed; false: sessions are gone, only REST history has it
   */
  unmuteSocket(resumable: boolean): void {
    if (!resumable) this.#parts.gateway.detachSessions(false);
    this.#parts.gateway.closeSockets(4000);
  }

  /** Refuse new sockets at the TCP level while true. */
  refuseSockets(refuses: boolean): void {
    this.#parts.gateway.refusesSockets = refuses;
  }

  /** Stop or start answering heartbeats with op 11. */
  ackHeartbeats(acks: boolean): void {
    this.#parts.gateway.acksHeartbeats = acks;
  }

  /** Answer the next request of a route (`POST /channels/{channel_id}/messages`) with this, without performing it. */
  failNext(route: string, answer: PreparedAnswer): void {
    this.#faults.failNext(route, answer);
  }

  /** Answer the next request of a route with 429 and its headers. */
  limitNext(route: string, seconds: number, scope?: 'user' | 'global' | 'shared'): void {
    this.#faults.limitNext(route, seconds, scope);
  }

  /** Perform the next request of a route, then cut the line instead of answering. */
  dropAnswerNext(route: string): void {
    this.#faults.dropAnswerNext(route);
  }

  async close(): Promise<void> {
    await Promise.all([this.#parts.gateway.close(), this.#rest.close()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #addToGuild(event: string, channel: FakeChannel): FakeChannel {
    if (!this.#parts.world.guilds.has(channel.guildId ?? ''))
      throw new Error(`The fake Discord has no guild ${channel.guildId}; add it first`);
    this.#parts.world.channels.set(channel.id, channel);
    this.#parts.gateway.dispatch(event, showChannel(this.#parts.world, channel));
    return channel;
  }
}
