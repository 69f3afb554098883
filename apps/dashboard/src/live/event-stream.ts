import type { Clock } from '@palimpsest/core';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
import { Listener } from './listener.ts';

export type LiveEvent = {
  event: string;
  /** Comes back as Last-Event-ID when the browser reconnects. */
  id?: string;
} & ({ data: unknown } | { /** As JSON, written out once for many streams. */ written: string });

/** What rings when there may be news. */
export interface Bell {
  /** returns the way out */
  follow(ring: () => void): () => void;
  /** Streams call this whenever they look by themselves: what was cut may be there again. */
  stayOpen(): void;
}

/** What one open stream tells; one object a connection. */
export interface Feed {
  /** Everything that is new since the last call. May throw: the stream says `away` and asks again. */
  news(): Promise<readonly LiveEvent[]>;
  /** How long to wait for a ring before looking by itself, ms: notices may be missed. */
  patienceMs(): number;
  /** Looks come at least this far apart, ms. */
  readonly restMs: number;
}

export interface Live {
  bell: Bell;
  clock: Clock;
}

/** A comment this often keeps proxies from closing a silent stream, and finds dead browsers. */
const beatMs = 15_000;
const reconnectMs = 1_000;
/** Then the browser has to come again, past the door: nobody listens for days after the sign-in has ended. */
const longestMs = 3_600_000;

/** Answer with server-sent events until the browser leaves, the server closes or an hour has passed. */
export function eventStream(c: Context, feed: Feed, live: Live): Response {
  const response = streamSSE(c, async (stream) => {
    const listener = new Listener(live.clock);
    const leave = live.bell.follow(() => listener.ring());
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
  const startedAt = live.clock.now().getTime();
  let spokeAt = startedAt;
  while (!listener.ended && live.clock.now().getTime() - startedAt < longestMs) {
    listener.hush();
    const events = await feed.news().catch((): LiveEvent[] => [{ event: 'away', data: null }]);
    if (events.length > 0) await stream.write(events.map(frameOf).join(''));
    const now = live.clock.now().getTime();
    if (events.length === 0 && now - spokeAt > beatMs) await stream.write(': still here\n\n');
    if (events.length > 0 || now - spokeAt > beatMs) spokeAt = now;
    await listener.rest(feed.restMs);
    await listener.wait(feed.patienceMs());
    live.bell.stayOpen();
  }
}

/** JSON has no line ends, and ids are numbers. */
function frameOf(event: LiveEvent): string {
  const data = 'written' in event ? event.written : JSON.stringify(event.data);
  const id = event.id === undefined ? '' : `id: ${event.id}\n`;
  return `event: ${event.event}\ndata: ${data}\n${id}\n`;
}
