import type { Clock, StoreNotice } from '@palimpsest/core';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
import type { NoticeHub } from './notice-hub.ts';

export interface LiveEvent {
  event: string;
  data: unknown;
  /** Comes back as Last-Event-ID when the browser reconnects. */
  id?: string;
}

/** What one open stream tells; one object a connection. */
export interface Feed {
  /** Whether this notice may mean news. */
  concerns(notice: StoreNotice): boolean;
  /** Everything that is new since the last call. May throw: the stream says `away` and asks again. */
  news(): Promise<readonly LiveEvent[]>;
  /** How long to wait for a notice before looking by itself, ms: notices may be missed. */
  patienceMs(): number;
  /** Looks come at least this far apart, ms. */
  readonly restMs: number;
}

export interface Live {
  hub: NoticeHub;
  clock: Clock;
}

/** A comment this often keeps proxies from closing a silent stream, and finds dead browsers. */
const beatMs = 15_000;
const reconnectMs = 1_000;

/** Answer with server-sent events until the browser leaves or the server closes. */
export function eventStream(c: Context, feed: Feed, live: Live): Response {
  const response = streamSSE(c, async (stream) => {
    const listener = new Listener(live.clock);
    const leave = live.hub.listen((notice) => {
      if (feed.concerns(notice)) listener.ring();
    });
    stream.onAbort(() => listener.end());
    // Told by the server on shutdown; a stream that nobody ends would hold it up.
    (c.env as Partial<HttpBindings>).outgoing?.once('closing', () => listener.end());
    try {
      await stream.write(`retry: ${reconnectMs}\n\n`);
      await tell(stream, feed, { live, listener });
    } finally {
      leave();
    }
  });
  // A proxy that buffers would turn streaming into one late block.
  response.headers.set('X-Accel-Buffering', 'no');
  return response;
}

async function tell(
  stream: SSEStreamingApi,
  feed: Feed,
  { live, listener }: { live: Live; listener: Listener },
): Promise<void> {
  let spokeAt = live.clock.now().getTime();
  while (!listener.ended) {
    listener.hush();
    const events = await feed.news().catch((): LiveEvent[] => [{ event: 'away', data: null }]);
    for (const { event, data, id } of events)
      await stream.writeSSE({ event, data: JSON.stringify(data), id });
    const now = live.clock.now().getTime();
    if (events.length === 0 && now - spokeAt > beatMs) await stream.write(': still here\n\n');
    if (events.length > 0 || now - spokeAt > beatMs) spokeAt = now;
    await listener.rest(feed.restMs);
    await listener.wait(feed.patienceMs());
    live.hub.stayOpen();
  }
}

/** Waits that a notice or the end cuts short; a notice between two waits is not lost. */
class Listener {
  readonly #clock: Clock;
  readonly #end = new AbortController();
  #bell = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get ended(): boolean {
    return this.#end.signal.aborted;
  }

  ring(): void {
    this.#bell.abort();
  }

  end(): void {
    this.#end.abort();
    this.#bell.abort();
  }

  /** From now on a ring means that there may be more. */
  hush(): void {
    if (!this.ended) this.#bell = new AbortController();
  }

  rest(ms: number): Promise<void> {
    return this.#clock.sleep(ms, this.#end.signal);
  }

  wait(ms: number): Promise<void> {
    return this.#clock.sleep(ms, this.#bell.signal);
  }
}
