/** Postgres and Redis for one test run: found or started, and everything started is stopped again. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GatewayError } from '@palimpsest/core';
import { startEmbeddedPostgres } from '../embedded-postgres.ts';
import { lockDataFolder } from '../postgres/data-folder-lock.ts';
import { freePort, runningPostmaster, stopPostmaster } from '../postgres/postmaster.ts';
import { redisCommands } from './redis-client.ts';

/** Folders in the temporary folder that hold a data folder `data`; tests may make some of their own. */
const folderPrefix = 'palimpsest-test-';

export interface TestServices extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/**
 * Give the tests a database server of their own and a Redis.
 *
 * redisUrl  a Redis to use if it answers; else 127.0.0.1:6379 if that answers; else one is started on a free
 *           port with persistence off (installed with apt-get when we are root and it is missing)
 * log       gets one line for each thing that was started or installed
 * throws    queue_unavailable with the one line to type when there is no Redis and it may not be installed;
 *           database_unavailable when Postgres does not start
 */
export async function startTestServices(options: {
  readonly redisUrl: string | undefined;
  readonly log: (line: string) => void;
}): Promise<TestServices> {
  await removeLeftOvers(options.log);
  const folder = mkdtempSync(join(tmpdir(), folderPrefix));
  const stack = new AsyncDisposableStack();
  // Last: what tests left that were interrupted.
  stack.defer(() => removeLeftOvers(options.log));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const redis = (await findRedis(options.redisUrl)) ?? (await startRedis(folder, options.log));
    stack.defer(redis.stop);
    const postgres = await startEmbeddedPostgres({
      dataDir: join(folder, 'data'),
      log: options.log,
      tuning: 'test',
    });
    stack.defer(postgres.stop);
    return {
      databaseUrl: postgres.databaseUrl,
      redisUrl: redis.url,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (thrown) {
    await stack.disposeAsync();
    throw thrown;
  }
}

interface RunningRedis {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

async function findRedis(given: string | undefined): Promise<RunningRedis | undefined> {
  for (const url of [given, 'redis://127.0.0.1:6379']) {
    if (url !== undefined && (await answers(url))) return { url, stop: async () => {} };
  }
  return undefined;
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await redisCommands(url, [['PING']]))[0] === 'PONG';
  } catch {
    return false; // Away, or not Redis, or it wants a password that we do not have.
  }
}

async function startRedis(folder: string, log: (line: string) => void): Promise<RunningRedis> {
  if (!hasRedis()) installRedis(log);
  const port = await freePort(0);
  const place = join(folder, 'redis');
  mkdirSync(place);
  const options = [
    '--save',
    '',
    '--appendonly',
    'no',
    '--maxmemory-policy',
    'noeviction',
    '--loglevel',
    'warning',
  ];
  // Its own process group: Ctrl-C must not take Redis away from tests that are still cleaning up.
  const server = spawn(
    'redis-server',
    ['--bind', '127.0.0.1', '--port', String(port), '--dir', place, ...options],
    {
      stdio: 'ignore',
      detached: true,
    },
  );
  const ended = once(server, 'exit');
  writeFileSync(join(folder, 'redis.pid'), String(server.pid));
  const url = `redis://127.0.0.1:${port}`;
  await untilAnswers(url);
  log(`started redis-server on port ${port} for this run`);
  return {
    url,
    stop: async () => {
      server.kill('SIGTERM');
      await ended;
    },
  };
}

async function untilAnswers(url: string): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (await answers(url)) return;
    await wait(20);
  }
  throw new GatewayError('queue_unavailable', `redis-server was started but does not answer at ${url}`);
}

function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

function installRedis(log: (line: string) => void): void {
  if (process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0) {
    log('installing redis-server with apt-get …');
    // RUNLEVEL=1: the package must not leave a server of its own running on this machine.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    spawnSync('apt-get', ['update', '-q'], { env, stdio: 'ignore' });
    spawnSync('apt-get', ['install', '-qy', '--no-install-recommends', 'redis-server'], {
      env,
      stdio: 'ignore',
    });
    if (hasRedis()) return;
  }
  throw new GatewayError(
    'queue_unavailable',
    'the tests need Redis: none answers at REDIS_URL or 127.0.0.1:6379, and it could not be installed from here. ' +
      'Type this once and run the tests again:\n\n  sudo apt-get install -y redis-server\n',
  );
}

/** A run that was killed leaves its servers running and its folder behind; whoever runs next clears them away. */
async function removeLeftOvers(log: (line: string) => void): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(folderPrefix))) {
    const folder = join(tmpdir(), name);
    try {
      if (await removeLeftOver(folder)) log(`removed ${folder}, left by a run that was killed`);
    } catch {
      // No owner yet (it is just starting), in use, or another user's.
    }
  }
}

async function removeLeftOver(folder: string): Promise<boolean> {
  const dataDir = join(folder, 'data');
  // A test may stop its database and start it again: the folder is free then, but its owner still lives.
  if (ownerLives(dataDir)) return false;
  const lock = lockDataFolder(dataDir);
  try {
    const cluster = { clusterDir: join(dataDir, 'postgres') };
    const pid = runningPostmaster(cluster);
    if (pid !== undefined) await stopPostmaster(cluster, pid, () => {});
    stopLeftRedis(folder);
    rmSync(folder, { recursive: true, force: true });
    return true;
  } finally {
    lock.release();
  }
}

/** throws  Error when the folder never had an owner */
function ownerLives(dataDir: string): boolean {
  const { pid } = JSON.parse(readFileSync(join(dataDir, 'owner.json'), 'utf8')) as { pid: number };
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function stopLeftRedis(folder: string): void {
  try {
    const pid = Number(readFileSync(join(folder, 'redis.pid'), 'utf8'));
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('redis-server')) process.kill(pid, 'SIGTERM');
  } catch {
    // None was started, or it has ended.
  }
}
