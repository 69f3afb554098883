import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../../../infra/bootstrap/postgres/postmaster.ts';
import { redisCommands } from '../../../../infra/bootstrap/tests/redis-client.ts';

/** `url` null: there is none, and `words` say why. */
export type FoundRedis = { url: string; words: string } | { url: null; words: string };

const usualUrl = 'redis://127.0.0.1:6379';
const startTries = 500;
const startPollMs = 20;

/** REDIS_URL, else the usual port if it answers, else a redis-server of our own that ends with `stack`. */
export async function findRedis(given: string | null, stack: AsyncDisposableStack): Promise<FoundRedis> {
  if (given !== null) {
    if (await answers(given)) return { url: given, words: 'REDIS_URL' };
    return { url: null, words: 'the Redis of REDIS_URL does not answer' };
  }
  if (await answers(usualUrl)) return { url: usualUrl, words: 'running on 127.0.0.1:6379' };
  if (spawnSync('redis-server', ['--version']).status !== 0) {
    return { url: null, words: 'no Redis answers at 127.0.0.1:6379 and redis-server is not installed' };
  }
  return startRedis(stack);
}

/** Delete every key of a queue's prefix: the Redis may be somebody's own. */
export async function forgetKeys(url: string, prefix: string): Promise<void> {
  const script = `local found = redis.call('KEYS', ARGV[1])
    for at = 1, #found, 1000 do redis.call('UNLINK', unpack(found, at, math.min(at + 999, #found))) end
    return #found`;
  await redisCommands(url, [['EVAL', script, '0', `${prefix}*`]]);
}

async function startRedis(stack: AsyncDisposableStack): Promise<FoundRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-redis-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort(0);
  const place = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder];
  const options = [...place, '--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'];
  const server = spawn('redis-server', options, { stdio: 'ignore' });
  const ended = once(server, 'exit');
  stack.defer(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  const url = `redis://127.0.0.1:${port}`;
  for (let tries = 0; tries < startTries; tries += 1) {
    if (await answers(url)) return { url, words: 'redis-server started for this run' };
    await wait(startPollMs);
  }
  return { url: null, words: `redis-server was started on port ${port} and does not answer` };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await redisCommands(url, [['PING']]))[0] === 'PONG';
  } catch {
    return false; // Away, or not Redis, or it wants a password that we do not have.
  }
}
