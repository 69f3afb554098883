/** A Redis of a run's own, to be emptied, frozen and killed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../../../infra/bootstrap/postgres/postmaster.ts';
import { redisCommands } from '../../../../infra/bootstrap/tests/redis-client.ts';

const startPollMs = 20;
const startLimitMs = 30_000;

export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  /** Connections stay, nothing is answered. */
  freeze(): void;
  thaw(): void;
  flush(): Promise<void>;
  /** SIGKILL; what it held is gone. */
  kill(): Promise<void>;
  /** Start it again, empty, on the same port. */
  restart(): Promise<void>;
}

export async function startRedisServer(): Promise<RedisServer> {
  const port = await freePort(0);
  const url = `redis://127.0.0.1:${port}`;
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-chaos-redis-'));
  let server = await start(port, folder);

  async function kill(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  }

  return {
    url,
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async flush() {
      await redisCommands(url, [['FLUSHDB']]);
    },
    kill,
    async restart() {
      await kill();
      server = await start(port, folder);
    },
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function start(port: number, folder: string): Promise<ChildProcess> {
  const server = spawn(
    'redis-server',
    ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', '', '--appendonly', 'no'],
    { stdio: 'ignore' },
  );
  await untilAnswering(`redis://127.0.0.1:${port}`);
  return server;
}

async function untilAnswering(url: string): Promise<void> {
  for (const deadline = Date.now() + startLimitMs; ;) {
    try {
      await redisCommands(url, [['PING']]);
      return;
    } catch (thrown) {
      if (Date.now() > deadline) throw thrown;
      await wait(startPollMs);
    }
  }
}
