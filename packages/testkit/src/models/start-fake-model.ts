import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { anthropicDialect } from './anthropic/anthropic-dialect.ts';
import { countFakeTokens, rememberCounts } from './count-tokens.ts';
import type { Dialect, DialectParts } from './dialect.ts';
import { Exchange, readBody } from './exchange.ts';
import type { FakeModel, FakeModelOptions, JournalEntry } from './fake-model.ts';
import { openAiChatDialect } from './openai-chat/openai-chat-dialect.ts';
import { openAiResponsesDialect } from './openai-responses/openai-responses-dialect.ts';
import { routeRequest } from './route-request.ts';
import { nowMs } from './server-state.ts';
import type { ServerState } from './server-state.ts';

const MAXIMUM_OUTPUT_TOKENS = 64_000;

/**
 * Start a strict model server on 127.0.0.1 with a free port. It does no network of its own and must be closed
 * (`await using model = await startFakeModel(…)`).
 */
export async function startFakeModel(options: FakeModelOptions): Promise<FakeModel> {
  const state = newState(options);
  const server = createServer(listener(state));
  // Stalls and silence are played on purpose; a time limit of the server's own would cut them short.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return asFakeModel(state, server, `http://127.0.0.1:${port}${state.dialect.basePath}`);
}

function newState(options: FakeModelOptions): ServerState {
  const count = rememberCounts(options.tokenCount ?? countFakeTokens);
  const maxOutput = options.maxOutput ?? MAXIMUM_OUTPUT_TOKENS;
  return {
    options,
    dialect: dialectOf({ options, maxOutput, count, secret: randomBytes(16).toString('hex') }),
    count,
    maxOutput,
    name: randomBytes(4).toString('hex'),
    requests: [],
    violations: [],
    usage: [],
    script: options.script,
    refused: 0,
    refusedOutput: 0,
    largestPromptTokens: 0,
    scriptCalls: 0,
    serial: 0,
  };
}

function dialectOf(parts: DialectParts): Dialect {
  switch (parts.options.dialect) {
    case 'anthropic':
      return anthropicDialect(parts);
    case 'openai-chat':
      return openAiChatDialect(parts);
    case 'openai-responses':
      return openAiResponsesDialect(parts);
  }
}

function listener(state: ServerState): (request: IncomingMessage, response: ServerResponse) => void {
  const connections = new WeakMap<Socket, number>();
  let connectionCount = 0;
  function connectionOf(socket: Socket): number {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    connectionCount += 1;
    connections.set(socket, connectionCount);
    return connectionCount;
  }
  return (request, response) => {
    const connection = connectionOf(request.socket);
    handle(state, { request, response, connection }).catch(() => response.destroy());
  };
}

async function handle(
  state: ServerState,
  arrived: { request: IncomingMessage; response: ServerResponse; connection: number },
): Promise<void> {
  const { request, response, connection } = arrived;
  const body = await readBody(request);
  const entry: JournalEntry = {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: flatHeaders(request),
    body: state.options.recordBodies === false ? '' : (body ?? ''),
    connection,
    atMs: nowMs(state),
    promptTokens: undefined,
    status: 0,
    aborted: false,
  };
  state.requests.push(entry);
  await routeRequest(state, new Exchange({ entry, body: body ?? '', response }), body === undefined);
}

function flatHeaders(request: IncomingMessage): Record<string, string> {
  const pairs = Object.entries(request.headers);
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

function asFakeModel(state: ServerState, server: Server, baseUrl: string): FakeModel {
  async function close(): Promise<void> {
    if (!server.listening) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }
  return {
    baseUrl,
    requests: state.requests,
    violations: state.violations,
    usage: state.usage,
    get refused() {
      return state.refused;
    },
    get refusedOutput() {
      return state.refusedOutput;
    },
    get largestPromptTokens() {
      return state.largestPromptTokens;
    },
    setScript(script) {
      state.script = script;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
