/** A gateway session: its sequence numbers and everything it was ever sent, kept for RESUME. */
import type { Frame } from './gateway-wire.ts';

/** What a session needs of the socket it is attached to. */
export interface FrameSink {
  send(frame: Frame): void;
  close(code: number | undefined, reason: string): void;
}

export class GatewaySession {
  readonly id: string;
  readonly intents: number;
  readonly shard: readonly [number, number];
  socket: FrameSink | undefined;
  /** When the socket went away; undefined while one is attached. */
  lostAtMs: number | undefined;
  readonly #log: Frame[] = [];

  constructor(id: string, intents: number, shard: readonly [number, number]) {
    this.id = id;
    this.intents = intents;
    this.shard = shard;
  }

  get seq(): number {
    return this.#log.length;
  }

  /** Number the event, keep it, and send it when a socket is there. Only op 0 raises the sequence. */
  dispatch(event: string, data: unknown): void {
    const frame: Frame = { op: 0, d: data, s: this.#log.length + 1, t: event };
    this.#log.push(frame);
    this.socket?.send(frame);
  }

  /** Send everything after `seq` again, in order. */
  replayAfter(seq: number): void {
    for (const frame of this.#log.slice(seq)) this.socket?.send(frame);
  }
}
