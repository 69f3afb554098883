/** The gateway: accepts sockets, keeps sessions, sends events, and breaks in the ways a test asks for. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { GatewayConnection, type GatewayHost, type SocketEnding } from './gateway-connection.ts';
import { judgeIdentify, readResume } from './gateway-identify.ts';
import { GatewaySession } from './gateway-session.ts';
import { plainWriter, zlibWriter } from './gateway-wire.ts';
import { wantsEvent } from './intents.ts';
import { blankEvent } from './message-shape.ts';
import type { FakeDiscordSettings } from './options.ts';
import { showGuild, showUser, type WireObject } from './wire-shape.ts';
import type { FakeUser, World } from './world.ts';

const identifyWindowMs = 5000;
// A client that waits exactly 5 s may arrive a little early by the server's watch.
const identifySlackMs = 250;

export interface GatewayParts {
  settings: FakeDiscordSettings;
  world: World;
  botUser: FakeUser;
  violations: string[];
}

export class Gateway implements GatewayHost {
  readonly settings: FakeDiscordSettings;
  acksHeartbeats = true;
  refusesSockets = false;
  /** What happened, one line each: `identify 33281`, `resume 7`, `invalid session`, `close 4000`, `left 1000`. */
  readonly log: string[] = [];
  heartbeats = 0;
  identifiesLeft: number;
  readonly #parts: GatewayParts;
  readonly #sessions = new Map<string, GatewaySession>();
  readonly #connections = new Set<GatewayConnection>();
  readonly #identifiedAtMs = new Map<number, number>();
  readonly #http: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });
  #sessionCount = 0;
  #url = '';

  constructor(parts: GatewayParts) {
    this.#parts = parts;
    this.settings = parts.settings;
    this.identifiesLeft = parts.settings.identifiesLeft;
    this.#http = createServer((_request, response) => response.writeHead(426).end());
    this.#http.on('upgrade', (request, socket, head) => {
      if (this.refusesSockets) return socket.destroy();
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#accept(opened, request));
    });
  }

  get url(): string {
    return this.#url;
  }

  async listen(): Promise<void> {
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
    this.#url = `ws://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) connection.terminate();
    this.#sockets.close();
    this.#http.close();
    this.#http.closeAllConnections();
    await once(this.#http, 'close');
  }

  /** Send an event to every session whose intents ask for it, blanked as its intents demand. */
  dispatch(event: string, data: WireObject | ((session: GatewaySession) => WireObject)): void {
    for (const session of this.#sessions.values()) {
      const own = typeof data === 'function' ? data(session) : data;
      if (!wantsEvent(session.intents, event, own)) continue;
      session.dispatch(event, blankEvent(event, own, this.#seenBy(session)));
    }
  }

  identify(connection: GatewayConnection, data: unknown): void {
    const verdict = judgeIdentify(data, this.settings);
    if (verdict.kind === 'refused') return connection.refuse(verdict.closeCode, verdict.reason);
    if (!this.#mayIdentify(verdict.shardId)) return this.#refuseSession(connection);
    this.note(`identify ${verdict.intents}`);
    this.#sessionCount += 1;
    const id = `session-${this.#sessionCount}`;
    const session = new GatewaySession(id, verdict.intents, [verdict.shardId, verdict.shardCount]);
    this.#sessions.set(id, session);
    this.#attach(session, connection);
    this.#greet(session);
  }

  resume(connection: GatewayConnection, data: unknown): void {
    const wish = readResume(data);
    if (wish === undefined) return connection.refuse(4002, 'Error while decoding payload.');
    if (wish.token !== this.settings.token) return connection.refuse(4004, 'Authentication failed.');
    const session = this.#liveSession(wish.sessionId);
    if (session === undefined) return this.#refuseSession(connection);
    if (!Number.isInteger(wish.seq) || wish.seq < 0 || wish.seq > session.seq) {
      this.#sessions.delete(session.id);
      return connection.refuse(4007, 'Invalid seq.');
    }
    this.note(`resume ${wish.seq}`);
    session.socket?.close(4000, 'Resumed elsewhere.');
    this.#attach(session, connection);
    session.replayAfter(wish.seq);
    session.dispatch('RESUMED', { _trace: ['["fake-gateway",{"micros":0.0}]'] });
  }

  note(line: string): void {
    this.log.push(line);
  }

  violation(text: string): void {
    this.#parts.violations.push(text);
  }

  heartbeatSeen(): void {
    this.heartbeats += 1;
  }

  closed(connection: GatewayConnection, ending: SocketEnding): void {
    this.#connections.delete(connection);
    if (!ending.byServer) this.note(`left ${ending.code}`);
    const session = connection.session;
    if (session === undefined || session.socket !== connection) return;
    this.#detach(session);
    // The client's own 1000 or 1001 ends the session at once; after 4009 it has to identify anew.
    const isOver = ending.byServer ? ending.code === 4009 : ending.code === 1000 || ending.code === 1001;
    if (isOver) this.#sessions.delete(session.id);
  }

  /** Number of sockets with a session. */
  get connected(): number {
    return [...this.#connections].filter(
      (connection) => connection.session !== undefined && !connection.muted,
    ).length;
  }

  closeSockets(code: number | undefined): void {
    for (const connection of this.#connections) connection.close(code, 'Closed by the test.');
  }

  /** Send a frame without sequence to every socket. */
  sendControl(op: number, data: unknown): void {
    for (const connection of this.#connections) connection.send({ op, d: data, s: null, t: null });
  }

  /** Take the sessions off their sockets (which stay open for RESUME or IDENTIFY) and forget or keep them. */
  detachSessions(keep: boolean): void {
    for (const connection of this.#connections) {
      if (connection.session !== undefined) this.#detach(connection.session);
      connection.session = undefined;
    }
    if (!keep) this.#sessions.clear();
  }

  mute(): void {
    for (const connection of this.#connections) connection.muted = true;
  }

  #accept(socket: WebSocket, request: IncomingMessage): void {
    const query = new URL(request.url ?? '/', 'ws://127.0.0.1').searchParams;
    const zlib = query.get('compress') === 'zlib-stream';
    const connection = new GatewayConnection(socket, zlib ? zlibWriter(socket) : plainWriter(socket), this);
    this.#connections.add(connection);
    if (query.get('v') !== '10') return connection.refuse(4012, `Invalid API version ${query.get('v')}.`);
    const compress = query.get('compress');
    if (query.get('encoding') === 'json' && (compress === null || zlib)) return;
    connection.refuse(
      4002,
      `The fake does not speak encoding ${query.get('encoding')} with compress ${compress}.`,
    );
  }

  #seenBy(session: GatewaySession): { intents: number; botId: string } {
    return { intents: session.intents, botId: this.#parts.botUser.id };
  }

  #attach(session: GatewaySession, connection: GatewayConnection): void {
    session.socket = connection;
    session.lostAtMs = undefined;
    connection.session = session;
  }

  #detach(session: GatewaySession): void {
    session.socket = undefined;
    session.lostAtMs = this.settings.clock.now();
  }

  #greet(session: GatewaySession): void {
    const guilds = [...this.#parts.world.guilds.values()];
    session.dispatch('READY', {
      v: 10,
      user_settings: {},
      user: { ...showUser(this.#parts.botUser), verified: true, mfa_enabled: true, email: null, flags: 0 },
      session_type: 'normal',
      session_id: session.id,
      resume_gateway_url: this.#url,
      relationships: [],
      private_channels: [],
      presences: [],
      guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
      guild_join_requests: [],
      geo_ordered_rtc_regions: [],
      shard: session.shard,
      application: { id: this.settings.applicationId, flags: 0 },
      _trace: [],
    });
    if (!wantsEvent(session.intents, 'GUILD_CREATE', {})) return;
    for (const guild of guilds)
      session.dispatch('GUILD_CREATE', showGuild(this.#parts.world, guild, this.#seenBy(session)));
  }

  #mayIdentify(shardId: number): boolean {
    if (this.settings.liftRateLimits) return true;
    const bucket = shardId % this.settings.maxConcurrency;
    const now = this.settings.clock.now();
    const sinceMs = now - (this.#identifiedAtMs.get(bucket) ?? Number.NEGATIVE_INFINITY);
    if (sinceMs < identifyWindowMs - identifySlackMs || this.identifiesLeft === 0) return false;
    this.#identifiedAtMs.set(bucket, now);
    this.identifiesLeft -= 1;
    return true;
  }

  #refuseSession(connection: GatewayConnection): void {
    this.note('invalid session');
    connection.send({ op: 9, d: false, s: null, t: null });
  }

  #liveSession(id: string): GatewaySession | undefined {
    const session = this.#sessions.get(id);
    if (session?.lostAtMs === undefined) return session;
    if (this.settings.clock.now() - session.lostAtMs <= this.settings.resumeWindowMs) return session;
    this.#sessions.delete(id);
    return undefined;
  }
}
