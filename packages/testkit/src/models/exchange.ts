import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Headers } from './dialect.ts';
import type { JournalEntry } from './fake-model.ts';

/** One HTTP request being answered: its journal entry, and the few ways to write back. */
export class Exchange {
  readonly entry: JournalEntry;
  readonly body: string;
  /** Fires when the client goes away or the server closes. */
  readonly signal: AbortSignal;
  private readonly response: ServerResponse;

  constructor(parts: { entry: JournalEntry; body: string; response: ServerResponse }) {
    this.entry = parts.entry;
    this.body = parts.body;
    this.response = parts.response;
    const gone = new AbortController();
    this.signal = gone.signal;
    const { response, entry } = parts;
    response.once('close', () => {
      if (!response.writableFinished && !this.broken) entry.aborted = true;
      gone.abort();
    });
  }

  private broken = false;

  /** Send status and headers; the body follows. */
  open(status: number, headers: Headers): void {
    if (this.signal.aborted) return;
    this.entry.status = status;
    this.response.writeHead(status, headers);
    this.response.flushHeaders();
  }

  /** Write bytes; resolves when the socket has taken them. */
  async write(bytes: string | Uint8Array): Promise<void> {
    if (this.signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.response.write(bytes, () => resolve());
    });
  }

  /** A whole answer at once. */
  send(status: number, headers: Headers, text: string): void {
    if (this.signal.aborted) return;
    this.entry.status = status;
    this.response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(text)) });
    this.response.end(text);
  }

  end(): void {
    this.response.end();
  }

  /** Cut the connection: politely after what was written, or by a TCP reset. */
  cut(how: 'close' | 'reset'): void {
    this.broken = true;
    if (how === 'reset') this.response.socket?.resetAndDestroy();
    else this.response.destroy();
  }

  /** Wait in real time; ends early when the client goes away. */
  async pause(ms: number): Promise<void> {
    if (ms <= 0 || this.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
    });
  }

  /** Wait until the client goes away or the server closes. */
  async untilGone(): Promise<void> {
    if (this.signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

/** The largest body the services take. */
const MAXIMUM_BODY_BYTES = 32_000_000;

/** The whole body as text; undefined when it is over the limit (the rest is read and dropped). */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    const bytes = piece as Buffer;
    size += bytes.length;
    if (size <= MAXIMUM_BODY_BYTES) pieces.push(bytes);
  }
  return size > MAXIMUM_BODY_BYTES ? undefined : Buffer.concat(pieces).toString('utf8');
}
