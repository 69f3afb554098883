/** The world that tools of a crash test act on: it counts every run, and holds those it is told to. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ToolServer extends AsyncDisposable {
  readonly url: string;
  /** `press/a` and the like, one entry a run, in order. */
  readonly runs: readonly string[];
  /** The next run of this one is counted and never answered; resolves when it has arrived. */
  hang(run: string): Promise<void>;
}

export async function startToolServer(): Promise<ToolServer> {
  const runs: string[] = [];
  const hanging = new Map<string, () => void>();
  const server = createServer((request, response) => {
    const run = (request.url ?? '/').slice(1);
    runs.push(run);
    const arrived = hanging.get(run);
    if (!arrived) return void response.end(`done ${run}`);
    hanging.delete(run);
    arrived();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    runs,
    hang: (run) => new Promise((resolve) => hanging.set(run, resolve)),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
