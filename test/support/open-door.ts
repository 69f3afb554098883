/** A door in front of a server that a test can shut: connections break and new ones are refused at once. */
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

export interface Door extends AsyncDisposable {
  /** The server's address, by way of this door. */
  readonly url: string;
  /** Break all connections and refuse new ones. */
  cut(): void;
  heal(): void;
}

/**
 * Stand in front of the server at `url`.
 *
 * url  null = a Redis address that accepts connections and never answers
 */
export async function openDoor(url: string | null): Promise<Door> {
  const target = url === null ? null : new URL(url);
  const sockets = new Set<Socket>();
  let open = true;
  function keep(socket: Socket): Socket {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    return socket;
  }
  const server = createServer((socket) => {
    keep(socket);
    if (!open) socket.destroy();
    else if (target) join(socket, keep(connect(Number(target.port), target.hostname)));
  });
  const port = await listen(server);
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: addressBehind(target, port),
    cut() {
      open = false;
      breakAll();
    },
    heal() {
      open = true;
    },
    async [Symbol.asyncDispose]() {
      breakAll();
      server.close();
    },
  };
}

function join(here: Socket, there: Socket): void {
  here.pipe(there).pipe(here);
  here.on('close', () => there.destroy());
  there.on('close', () => here.destroy());
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function addressBehind(target: URL | null, port: number): string {
  if (!target) return `redis://127.0.0.1:${port}`;
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  // A socket named beside the port would lead past this door.
  url.searchParams.delete('host');
  return url.href;
}
