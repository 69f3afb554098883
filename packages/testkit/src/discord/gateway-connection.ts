/**
 * One socket: HELLO → IDENTIFY or RESUME → dispatches; refuses what Discord refuses.
 * Decisions about sessions belong to the gateway, which this class asks through `GatewayHost`.
 */
import type { RawData, WebSocket } from 'ws';
import { isObject } from './is-object.ts';
import type { FrameSink, GatewaySession } from './gateway-session.ts';
import type { Frame, WriteFrame } from './gateway-wire.ts';
import type { FakeDiscordSettings } from './options.ts';

/** What a connection needs of the gateway around it. */
export interface GatewayHost {
  readonly settings: FakeDiscordSettings;
  acksHeartbeats: boolean;
  identify(connection: GatewayConnection, data: unknown): void;
  resume(connection: GatewayConnection, data: unknown): void;
  note(line: string): void;
  violation(text: string): void;
  heartbeatSeen(): void;
  closed(connection: GatewayConnection, ending: SocketEnding): void;
}

/** How a socket ended; `code` is the client's unless the server closed first. */
export interface SocketEnding {
  byServer: boolean;
  code: number;
}

const maxFrameBytes = 4096;
const sendLimit = { count: 120, windowMs: 60_000 };
const knownOpcodes = new Set([1, 2, 3, 4, 6, 8, 31, 43]);

// These are mistakes of the program under test; 4004, 4013 and 4014 are states a test sets up.
const programMistakes = new Set([4001, 4002, 4003, 4005, 4008, 4012]);

export class GatewayConnection implements FrameSink {
  session: GatewaySession | undefined;
  muted = false;
  readonly #socket: WebSocket;
  readonly #write: WriteFrame;
  readonly #host: GatewayHost;
  #sentAtMs: number[] = [];
  #closedWith: number | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, write: WriteFrame, host: GatewayHost) {
    this.#socket = socket;
    this.#write = write;
    this.#host = host;
    socket.on('message', (data) => this.#receive(data));
    socket.on('close', (code) => this.#ended(code));
    socket.on('error', () => socket.terminate());
    this.send({
      op: 10,
      d: {
        heartbeat_interval: host.settings.heartbeatIntervalMs,
        _trace: ['["fake-gateway",{"micros":0.0}]'],
      },
      s: null,
      t: null,
    });
    this.#watchSilence();
  }

  /** Send unless the socket is muted or closing; a lost frame is found again by RESUME. */
  send(frame: Frame): void {
    if (this.muted || this.#closedWith !== undefined || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#write(frame);
  }

  /** Close with a code, or cut the line without a word when there is none (the client sees 1006). */
  close(code: number | undefined, reason: string): void {
    if (this.#closedWith !== undefined) return;
    this.#closedWith = code ?? 1006;
    this.#host.note(`close ${this.#closedWith}`);
    if (code === undefined) this.#socket.terminate();
    else this.#socket.close(code, reason);
  }

  /** Close because of what the client did; mistakes of its program are noted as violations. */
  refuse(code: number, reason: string): void {
    if (programMistakes.has(code)) this.#host.violation(`gateway: closed with ${code}: ${reason}`);
    this.close(code, reason);
  }

  terminate(): void {
    this.#closedWith ??= 1006;
    this.#socket.terminate();
  }

  #receive(data: RawData): void {
    if (this.#closedWith !== undefined) return;
    const bytes = toBuffer(data);
    if (!this.#mayReceive(bytes.byteLength)) return;
    const frame = parseFrame(bytes.toString('utf8'));
    if (frame === undefined) return this.refuse(4002, 'Error while decoding payload.');
    this.#handle(frame.op, frame.d);
  }

  #mayReceive(byteCount: number): boolean {
    if (byteCount > maxFrameBytes) {
      this.refuse(4002, `Payload of ${byteCount} bytes is over ${maxFrameBytes}.`);
      return false;
    }
    const now = this.#host.settings.clock.now();
    this.#sentAtMs = this.#sentAtMs.filter((at) => at > now - sendLimit.windowMs);
    this.#sentAtMs.push(now);
    if (this.#sentAtMs.length <= sendLimit.count) return true;
    this.refuse(4008, 'You are being rate limited.');
    return false;
  }

  #handle(op: number, data: unknown): void {
    if (!knownOpcodes.has(op)) return this.refuse(4001, `Unknown opcode ${op}.`);
    if (op === 1) return this.#heartbeat(data);
    if (op === 2 || op === 6) {
      if (this.session !== undefined) return this.refuse(4005, 'Already authenticated.');
      return op === 2 ? this.#host.identify(this, data) : this.#host.resume(this, data);
    }
    if (this.session === undefined) return this.refuse(4003, 'Not authenticated.');
    // Presence updates change nothing a test of ours looks at; the rest nobody scripted yet.
    if (op !== 3) this.#host.violation(`gateway: opcode ${op} is not implemented by the fake`);
  }

  #heartbeat(data: unknown): void {
    if (data !== null && !Number.isInteger(data)) return this.refuse(4002, 'Heartbeat without a sequence.');
    this.#host.heartbeatSeen();
    this.#watchSilence();
    if (this.#host.acksHeartbeats) this.send({ op: 11, d: null, s: null, t: null });
  }

  /** A client that misses two beats is gone: 4009. Real time, because the client's timer is real too. */
  #watchSilence(): void {
    clearTimeout(this.#silence);
    const waitMs = this.#host.settings.heartbeatIntervalMs * 2 + 1000;
    this.#silence = setTimeout(() => this.refuse(4009, 'Session timed out.'), waitMs).unref();
  }

  #ended(code: number): void {
    clearTimeout(this.#silence);
    const byServer = this.#closedWith !== undefined;
    this.#host.closed(this, { byServer, code: this.#closedWith ?? code });
    this.#closedWith ??= code;
  }
}

function toBuffer(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

function parseFrame(text: string): { op: number; d: unknown } | undefined {
  try {
    const frame: unknown = JSON.parse(text);
    if (!isObject(frame) || typeof frame['op'] !== 'number') return undefined;
    return { op: frame['op'], d: frame['d'] ?? null };
  } catch {
    return undefined;
  }
}
