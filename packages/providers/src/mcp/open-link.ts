import type { ServerTool, ToolResult } from '@palimpsest/core';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { codeOf, connectionClosed, requestTimedOut } from './describe-failure.ts';
import { floodGate } from './flood-gate.ts';
import { fetchLimited } from './limit-body.ts';
import { readResult } from './read-result.ts';
import { maxTools, readTools } from './read-tools.ts';
import type { ServerPlan } from './server-plan.ts';

/** What a server may send in ten seconds that nobody asked for. A working one sends a few log lines a call. */
const unaskedAtMost = 1_000;
/** A server that does not answer this question in time hangs. */
const pingMs = 5_000;
/** What a server says about a failed call is shown to the model up to here. */
const maxErrorCharacters = 2_000;
const maxPages = 20;

/** One connection to a server, from its greeting to its end. */
export interface Link {
  tools(): readonly ServerTool[];
  call(tool: ServerTool, input: Record<string, unknown>, signal: AbortSignal): Promise<CallEnd>;
  /** Resolves with the reason once nothing more can be had from it. */
  readonly ended: Promise<string>;
  /** Ends the connection, and with it the program. */
  close(): Promise<void>;
}

/** `lost`: the server has forgotten us and has not run the tool; another connection may. */
export type CallEnd = { kind: 'result'; result: ToolResult } | { kind: 'lost' };

/** throws whatever the SDK throws when the server does not greet us or list its tools in time */
export async function openLink(plan: ServerPlan, signal: AbortSignal): Promise<Link> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const transport = await createTransport(plan);
  const client = new Client({ name: 'palimpsest', version: '0.1.0' }, { capabilities: {} });
  const ended = Promise.withResolvers<string>();
  Object.assign(client, { onclose: () => ended.resolve('it ended') });
  watchFlood({ client, transport }, () => {
    ended.resolve('it sent far more than anyone asked for and was cut off');
    void transport.close();
  });
  const limit = { signal, timeout: plan.config.start_timeout_seconds * 1000 };
  try {
    await client.connect(transport, limit);
    const tools = await followTools(client, plan, limit);
    return new OpenLink({ client, transport, plan, ended }, tools);
  } catch (thrown) {
    await transport.close();
    throw thrown;
  }
}

async function createTransport({ config, env, headers }: ServerPlan): Promise<Transport> {
  if (config.command !== null) {
    const { ChildTransport } = await import('./child-transport.ts');
    return new ChildTransport({ command: config.command, args: config.args, cwd: config.cwd, env });
  }
  const { StreamableHTTPClientTransport } =
    await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const url = new URL(config.url ?? '');
  return new StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    fetch: fetchLimited,
  }) as Transport;
}

function watchFlood(of: { client: Client; transport: Transport }, cutOff: () => void): void {
  const isTooMuch = floodGate(unaskedAtMost, () => performance.now());
  const onmessage: Transport['onmessage'] = (message) => {
    if ('method' in message && isTooMuch(1)) cutOff();
  };
  // Lines that are no message, and answers to no question.
  const onerror: Client['onerror'] = () => {
    if (isTooMuch(1)) cutOff();
  };
  Object.assign(of.transport, { onmessage });
  Object.assign(of.client, { onerror });
}

/** The tools now; after that they are read anew whenever the server says that they changed. */
async function followTools(
  client: Client,
  plan: ServerPlan,
  limit: { signal: AbortSignal; timeout: number },
): Promise<() => readonly ServerTool[]> {
  const { ToolListChangedNotificationSchema } = await import('@modelcontextprotocol/sdk/types.js');
  let tools = await listTools(client, plan, limit);
  let reading = false;
  let again = false;
  client.setNotificationHandler(ToolListChangedNotificationSchema, async () => {
    again = true;
    if (reading) return;
    reading = true;
    try {
      while (again) {
        again = false;
        tools = await listTools(client, plan, { timeout: limit.timeout });
      }
    } finally {
      reading = false;
    }
  });
  return () => tools;
}

/** Not through the SDK's own `listTools`: one odd tool would make it refuse all, and it compiles schemas it was sent. */
async function listTools(
  client: Client,
  plan: ServerPlan,
  limit: { signal?: AbortSignal; timeout: number },
): Promise<readonly ServerTool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const listed: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages && listed.length <= maxTools; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: 'tools/list', params }, ResultSchema, limit);
    if (Array.isArray(answer['tools'])) listed.push(...answer['tools']);
    if (typeof answer['nextCursor'] !== 'string') break;
    cursor = answer['nextCursor'];
  }
  return readTools(plan.name, listed);
}

interface LinkParts {
  client: Client;
  transport: Transport;
  plan: ServerPlan;
  ended: PromiseWithResolvers<string>;
}

class OpenLink implements Link {
  readonly #parts: LinkParts;
  readonly tools: () => readonly ServerTool[];
  readonly ended: Promise<string>;

  constructor(parts: LinkParts, tools: () => readonly ServerTool[]) {
    this.#parts = parts;
    this.tools = tools;
    this.ended = parts.ended.promise;
  }

  async call(tool: ServerTool, input: Record<string, unknown>, signal: AbortSignal): Promise<CallEnd> {
    const { client, plan } = this.#parts;
    const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    // The SDK listens to a signal beyond the end of its request, so it gets one that nobody fires later.
    const own = new AbortController();
    const abort = (): void => own.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const request = { method: 'tools/call', params: { name: tool.name, arguments: input } };
    const limit = { signal: own.signal, timeout: plan.config.timeout_seconds * 1000 };
    try {
      const answer = await client.request(request, ResultSchema, limit);
      return { kind: 'result', result: readResult(answer, plan.config.max_result_characters) };
    } catch (thrown) {
      return this.#failed(tool, thrown, signal);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #failed(tool: ServerTool, thrown: unknown, signal: AbortSignal): CallEnd {
    const { plan, ended } = this.#parts;
    const code = codeOf(thrown);
    if (signal.aborted) {
      if (isTimeout(signal.reason)) void this.#endIfHanging();
      return errorResult(`${tool.schema.name} was stopped before it gave a result`);
    }
    switch (code) {
      case 404:
        ended.resolve('it has forgotten us');
        return { kind: 'lost' };
      case connectionClosed:
        return errorResult(
          `the tool server "${plan.name}" ended while ${tool.schema.name} ran; it is started again`,
        );
      case requestTimedOut:
        void this.#endIfHanging();
        return errorResult(`${tool.schema.name} gave no result within ${plan.config.timeout_seconds} s`);
      default:
        if (isAnswer(thrown)) return errorResult(answeredError(thrown));
        void this.#endIfHanging();
        return errorResult(
          `the tool server "${plan.name}" could not be asked; try again later or go on without it`,
        );
    }
  }

  async #endIfHanging(): Promise<void> {
    const { client, ended } = this.#parts;
    try {
      await client.ping({ timeout: pingMs });
    } catch {
      ended.resolve('it does not answer any more');
    }
  }

  async close(): Promise<void> {
    await this.#parts.transport.close();
    await this.#parts.client.close();
  }
}

function errorResult(text: string): CallEnd {
  return { kind: 'result', result: { text, isError: true } };
}

/** The server's own word about a call, by the protocol. */
function isAnswer(thrown: unknown): thrown is Error {
  return thrown instanceof Error && thrown.name === 'McpError';
}

function answeredError(error: Error): string {
  return error.message.slice(0, maxErrorCharacters).toWellFormed();
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}
