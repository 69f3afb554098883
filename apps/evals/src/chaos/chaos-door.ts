/** A door in front of a server: what passes can be cut, slowed down or broken in the middle. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** How the door stands. */
export type DoorState =
  | { kind: 'open' }
  | { kind: 'shut' }
  | { kind: 'slow'; delayMs: number }
  /** The next answer on every connection is cut in half, and the connection with it. */
  | { kind: 'half' };

export interface ChaosDoor extends AsyncDisposable {
  readonly port: number;
  set(state: DoorState): void;
}

/** Stand in front of the server at this port of 127.0.0.1; `portOf` is asked for each connection. */
export async function openChaosDoor(portOf: () => number): Promise<ChaosDoor> {
  const sockets = new Set<Socket>();
  let state: DoorState = { kind: 'open' };
  const now = (): DoorState => state;

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    return socket;
  }

  const server = createServer((here) => {
    keep(here);
    if (state.kind === 'shut') return void here.destroy();
    const there = keep(connect(portOf(), '127.0.0.1'));
    pass(here, there, { state: now, isAnswer: false });
    pass(there, here, { state: now, isAnswer: true });
    here.on('close', () => there.destroy());
    there.on('close', () => here.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    set(next) {
      state = next;
      if (next.kind === 'shut') for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Hand pieces on in their order; the end of the stream comes behind the last piece. */
function pass(
  from: Socket,
  to: Socket,
  { state, isAnswer }: { state(): DoorState; isAnswer: boolean },
): void {
  let last = Promise.resolve();
  const queue = (send: () => void): void => {
    const now = state();
    const waits = now.kind === 'slow' ? now.delayMs : 0;
    last = last.then(async () => {
      if (waits > 0) await new Promise((resolve) => setTimeout(resolve, waits).unref());
      if (!to.destroyed) send();
    });
  };
  from.on('data', (piece: Buffer) => {
    if (state().kind !== 'half' || !isAnswer) return queue(() => to.write(piece));
    queue(() => {
      to.write(piece.subarray(0, piece.length >> 1));
      to.end(() => to.destroy());
      from.destroy();
    });
  });
  from.on('end', () => queue(() => to.end()));
}
