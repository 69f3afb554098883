import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { GatewayError } from '@palimpsest/core';
import type { Hono } from 'hono';
import { isLoopbackName } from './guards/loopback.ts';

export interface HttpOptions {
  app: Hono;
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Without one only loopback addresses are listened on. */
  password: string | null;
}

export interface HttpService {
  port: number;
  /** For a browser on this machine, without a slash at the end. */
  url: string;
  /** Ends live streams, lets other requests finish for up to 3 s. */
  close(): Promise<void>;
}

const finishMs = 3_000;

/**
 * Serve the pages.
 * throws config_invalid when the address is not loopback and there is no password, or cannot be listened on
 */
export async function startHttp(options: HttpOptions): Promise<HttpService> {
  const { host } = options;
  if (!isLoopbackName(host.toLowerCase()) && !options.password) {
    throw new GatewayError(
      'config_invalid',
      `server.host is ${host}, an address others can reach, and there is no password. Set PALIMPSEST_PASSWORD, or server.host to 127.0.0.1.`,
    );
  }
  const running = new Set<ServerResponse>();
  const serve = getRequestListener(options.app.fetch);
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    running.add(response);
    response.once('close', () => running.delete(response));
    void serve(request, response);
  });
  const port = await listen(server, options);
  const name = host.includes(':') ? `[${host}]` : host;
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : name;
  return { port, url: `http://${shown}:${port}`, close: () => close(server, running) };
}

function listen(server: Server, { host, port }: HttpOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (thrown: NodeJS.ErrnoException) => reject(listenError(thrown, { host, port })));
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

function listenError(
  cause: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
): GatewayError {
  const what = `cannot listen on ${host}:${port}`;
  switch (cause.code) {
    case 'EADDRINUSE':
      return new GatewayError(
        'config_invalid',
        `${what}: the port is in use by another program. Stop it, or take another port: PORT=${port + 1} npm start`,
        { cause },
      );
    case 'EACCES':
      return new GatewayError(
        'config_invalid',
        `${what}: this user may not use that port. Take one above 1023, for example PORT=8787.`,
        { cause },
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new GatewayError(
        'config_invalid',
        `${what}: this machine has no such address. Correct server.host in config.yaml.`,
        { cause },
      );
    default:
      return new GatewayError(
        'config_invalid',
        `${what} (${cause.code ?? cause.message}). Correct server.host and server.port in config.yaml.`,
        { cause },
      );
  }
}

async function close(server: Server, running: ReadonlySet<ServerResponse>): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  // Live streams listen for this and end; everything else ends by itself.
  for (const response of running) {
    response.once('close', () => setImmediate(() => server.closeIdleConnections()));
    response.emit('closing');
  }
  const late = setTimeout(() => server.closeAllConnections(), finishMs);
  await closed;
  clearTimeout(late);
}
