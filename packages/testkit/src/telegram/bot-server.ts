/**
 * The HTTP side: address → token → method → faults → parameters → run → answer.
 * Knows nothing of what methods do.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ApiError, notFound, type Refusal } from './api-error.ts';
import type { Fault, FaultList } from './faults.ts';
import type { JournalEntry } from './journal.ts';
import { readBody, readCall, type RawCall } from './read-call.ts';
import { internal, readParams, runMethod } from './run-method.ts';
import type { MethodSpec } from './schema.ts';
import type { ServerState } from './server-state.ts';

const CALL = /^\/bot([^/]*)\/([^/]+)$/;
const FILE = /^\/file\/bot([^/]*)\/(.+)$/;
const TOKEN_SHAPE = /^\d+:[A-Za-z0-9_-]+$/;

/** What the server needs to know. */
export interface BotServerOptions {
  readonly state: ServerState;
  readonly token: string;
  readonly faults: FaultList;
  readonly journal: JournalEntry[];
}

type Answer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'refusal'; readonly refusal: Refusal }
  | { readonly kind: 'raw'; readonly status: number; readonly body: string }
  | { readonly kind: 'none' };

/** Listens on loopback. */
export class BotServer {
  readonly #options: BotServerOptions;
  readonly #server: Server;

  constructor(options: BotServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#handle(request, response));
    // An idle connection that dies under the client would look like a lost answer.
    this.#server.keepAliveTimeout = 0;
  }

  /** Start on a free port; gives the root address without a trailing slash. */
  async listen(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    await promise;
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the fake got no port');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Cut all connections and stop. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  /** Carry out a call that stood in the answer to a webhook push; its result is lost, as at Telegram. */
  async runReply(contentType: string, body: string): Promise<void> {
    const call = readBody(contentType, body);
    const method = call.fields.find(([name]) => name === 'method')?.[1];
    if (method === undefined) return;
    const fields = call.fields.filter(([name]) => name !== 'method');
    const signal = new AbortController().signal;
    await this.#answerCall(String(method), async () => ({ ...call, fields }), signal);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const file = FILE.exec(decodeURI(url.pathname));
    if (file) return this.#sendFile(response, file);
    const answer = await this.#route(request, url, gone.signal);
    send(response, answer);
  }

  async #route(request: IncomingMessage, url: URL, signal: AbortSignal): Promise<Answer> {
    const [, token = '', method = ''] = CALL.exec(decodeURIComponent(url.pathname)) ?? [];
    if (method === '' || !TOKEN_SHAPE.test(token)) return refuse(notFound());
    if (token !== this.#options.token) return refuse(unauthorized());
    return this.#answerCall(method, () => readCall(request, url.searchParams), signal);
  }

  async #answerCall(name: string, read: () => Promise<RawCall>, signal: AbortSignal): Promise<Answer> {
    const { state, faults, journal } = this.#options;
    const spec = Object.hasOwn(state.checker.schema.methods, name)
      ? state.checker.schema.methods[name]
      : undefined;
    if (!spec) {
      state.violations.push(`there is no method ${name}`);
      return refuse(notFound());
    }
    const entry: JournalEntry = {
      method: name,
      params: {},
      atMs: state.clock.now().getTime(),
      outcome: 'open',
    };
    journal.push(entry);
    const planned = faults.take(name);
    const outcome = await this.#carryOut(spec, { read, signal, entry, fault: planned?.fault });
    planned?.onReached?.();
    if (planned?.fault.kind === 'wait') await planned.fault.until;
    entry.outcome = outcomeOf(outcome);
    return outcome;
  }

  async #carryOut(
    spec: MethodSpec,
    {
      read,
      signal,
      entry,
      fault,
    }: {
      read: () => Promise<RawCall>;
      signal: AbortSignal;
      entry: JournalEntry;
      fault: Fault | undefined;
    },
  ): Promise<Answer> {
    const { state } = this.#options;
    try {
      entry.params = readParams(state, spec, await read());
      if (fault?.kind === 'cut') return { kind: 'none' };
      if (fault?.kind === 'raw') return { kind: 'raw', status: fault.status, body: fault.body };
      if (fault?.kind === 'refuse') return { kind: 'refusal', refusal: fault.refusal };
      const result = await runMethod(state, spec, { params: entry.params, call: { signal } });
      return fault?.kind === 'drop_answer' ? { kind: 'none' } : { kind: 'result', result };
    } catch (cause) {
      if (fault?.kind === 'drop_answer') return { kind: 'none' };
      return refuse(cause instanceof ApiError ? cause : internal(state, String(cause)));
    }
  }

  #sendFile(response: ServerResponse, [, token, path]: RegExpExecArray): void {
    const { state } = this.#options;
    if (token !== this.#options.token) return send(response, refuse(unauthorized()));
    const file = [...state.files.values()].find((candidate) => candidate.file_path === path);
    const isLinked = (state.links.get(path ?? '') ?? 0) > state.clock.now().getTime();
    if (!file || !isLinked) return send(response, refuse(notFound()));
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(file.bytes);
  }
}

function unauthorized(): ApiError {
  return new ApiError({ error_code: 401, description: 'Unauthorized' });
}

function refuse(error: ApiError): Answer {
  return { kind: 'refusal', refusal: error.refusal };
}

function outcomeOf(answer: Answer): JournalEntry['outcome'] {
  switch (answer.kind) {
    case 'result':
      return 'ok';
    case 'refusal':
      return answer.refusal.error_code;
    case 'raw':
      return 'raw';
    case 'none':
      return 'no_answer';
  }
}

function send(response: ServerResponse, answer: Answer): void {
  switch (answer.kind) {
    case 'none':
      response.socket?.destroy();
      return;
    case 'raw':
      response.writeHead(answer.status, { 'content-type': 'text/html' }).end(answer.body);
      return;
    case 'refusal':
      return sendJson(response, answer.refusal.error_code, { ok: false, ...answer.refusal });
    case 'result':
      return sendJson(response, 200, { ok: true, result: answer.result });
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
