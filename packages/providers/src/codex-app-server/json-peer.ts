import type { Readable, Writable } from 'node:stream';

/** One side of JSON-RPC as the Codex app-server speaks it: an object a line, without the `jsonrpc` member. */

export interface Notification {
  method: string;
  params: Record<string, unknown>;
}

/** The server answered a request with an error. */
export class RpcRefused extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The other side is gone; nothing that is open will be answered. */
export class PeerGone extends Error {
  constructor(why: string, cause?: unknown) {
    super(why, { cause });
  }
}

export interface PeerHandlers {
  onNotification(notification: Notification): void;
  /** Answer a request of the server's; a throw becomes an error answer. */
  onRequest(request: Notification): unknown;
}

interface Waiting {
  resolve(result: Record<string, unknown>): void;
  reject(error: Error): void;
}

const notSupported = -32601;

export class JsonPeer {
  readonly #output: Writable;
  readonly #handlers: PeerHandlers;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 0;
  #gone: PeerGone | null = null;

  constructor(input: Readable, output: Writable, handlers: PeerHandlers) {
    this.#output = output;
    this.#handlers = handlers;
    readLines(input, (line) => this.#take(line));
  }

  /** Ask the other side. throws RpcRefused, PeerGone */
  request(method: string, params: object): Promise<Record<string, unknown>> {
    if (this.#gone) return Promise.reject(this.#gone);
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    this.#waiting.set(id, { resolve, reject });
    this.#send({ id, method, params });
    return promise;
  }

  notify(method: string): void {
    this.#send({ method });
  }

  /** Everything that waits fails, now and later. */
  end(gone: PeerGone): void {
    this.#gone ??= gone;
    for (const { reject } of this.#waiting.values()) reject(this.#gone);
    this.#waiting.clear();
  }

  #send(message: object): void {
    if (!this.#gone) this.#output.write(`${JSON.stringify(message)}\n`);
  }

  /** Ids of the two sides overlap: what has a method is theirs, what has none answers ours. */
  #take(line: string): void {
    const message = parseObject(line);
    if (!message) return;
    const { id, method } = message;
    const params = isObject(message['params']) ? message['params'] : {};
    if (typeof method !== 'string') return this.#settle(id, message);
    if (id === undefined) return this.#handlers.onNotification({ method, params });
    try {
      this.#send({ id, result: this.#handlers.onRequest({ method, params }) });
    } catch (thrown) {
      const text = thrown instanceof Error ? thrown.message : 'refused';
      this.#send({ id, error: { code: notSupported, message: text } });
    }
  }

  #settle(id: unknown, message: Record<string, unknown>): void {
    if (typeof id !== 'number') return;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    const error = message['error'];
    if (!isObject(error)) return waiting?.resolve(isObject(message['result']) ? message['result'] : {});
    const code = typeof error['code'] === 'number' ? error['code'] : 0;
    waiting?.reject(new RpcRefused(code, String(error['message'] ?? '')));
  }
}

/** Lines of a byte stream; a line may come in any number of pieces, and half a character at a border is no harm. */
function readLines(input: Readable, onLine: (line: string) => void): void {
  let pieces: string[] = [];
  input.setEncoding('utf8');
  input.on('data', (text: string) => {
    const parts = text.split('\n');
    for (const part of parts.slice(0, -1)) {
      pieces.push(part);
      onLine(pieces.join(''));
      pieces = [];
    }
    pieces.push(parts.at(-1) ?? '');
  });
}

/** What is no JSON object is noise and left out. */
function parseObject(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
