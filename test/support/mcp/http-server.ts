/** The misbehaving tools on streamable HTTP, behind a header that must be right. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { misbehavingServer } from './misbehaving-tools.ts';

export interface HttpToolServer extends AsyncDisposable {
  readonly url: string;
  /** Sessions begun so far. */
  readonly sessions: number;
  /** As after a restart: no session is known any more. */
  forget(): void;
}

/** key  what must stand in the header `x-key` */
export async function startHttpToolServer(key: string): Promise<HttpToolServer> {
  const open = new Map<string, StreamableHTTPServerTransport>();
  let sessions = 0;

  async function transportOf(request: IncomingMessage): Promise<StreamableHTTPServerTransport | null> {
    const id = request.headers['mcp-session-id'];
    if (typeof id === 'string') return open.get(id) ?? null;
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (sessionId) => {
        sessions++;
        open.set(sessionId, transport);
      },
    });
    await misbehavingServer({ write: () => Promise.resolve(), exit: () => {} }).connect(
      transport as Transport,
    );
    return transport;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers['x-key'] !== key) return void response.writeHead(401).end();
    const transport = await transportOf(request);
    if (!transport) return void response.writeHead(404).end();
    await transport.handleRequest(request, response);
  }

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    get sessions() {
      return sessions;
    },
    forget: () => open.clear(),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
