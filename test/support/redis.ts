/** A Redis database of its own for each test file. */
import { redisCommands } from '../../infra/bootstrap/tests/redis-client.ts';
import { serviceAddresses } from './test-services.ts';

/** Redis has 16 databases unless configured otherwise; 0 holds our claims and whatever the machine's owner keeps. */
const lastDatabase = 15;
const claimSeconds = 3600;

export interface TestRedis extends AsyncDisposable {
  /** `redis://host:port/number`; FLUSHDB there is allowed, FLUSHALL is not: the server may be somebody's own. */
  readonly url: string;
}

/**
 * Take an empty database number until disposed; then it is emptied and given back.
 *
 * A number that held data before is never taken: the Redis that answers on this machine may be in use.
 * throws  Error when no number is free
 */
export async function testRedis(): Promise<TestRedis> {
  const { redisUrl } = serviceAddresses();
  for (let number = 1; number <= lastDatabase; number += 1) {
    if (!(await claim(redisUrl, number))) continue;
    return {
      url: `${redisUrl.replace(/\/\d*$/, '')}/${number}`,
      [Symbol.asyncDispose]: async () => {
        await redisCommands(redisUrl, [
          ['SELECT', String(number)],
          ['FLUSHDB'],
          ['SELECT', '0'],
          ['DEL', key(number)],
        ]);
      },
    };
  }
  throw new Error(
    `no free database number at ${redisUrl}: 1 to ${lastDatabase} hold data or are taken by other tests`,
  );
}

function key(number: number): string {
  return `palimpsest:test:database:${number}`;
}

async function claim(redisUrl: string, number: number): Promise<boolean> {
  const mine = `claimed by ${process.pid}`;
  const set = ['SET', key(number), mine, 'NX', 'EX', String(claimSeconds)];
  const select = ['SELECT', String(number)];
  const [taken, holder, , size] = await redisCommands(redisUrl, [
    set,
    ['GET', key(number)],
    select,
    ['DBSIZE'],
  ]);
  if (taken === 'OK') {
    if (size === 0) return true;
    await redisCommands(redisUrl, [['DEL', key(number)]]);
    return false;
  }
  return typeof holder === 'string' && isLeftOver(holder) && takeOver(redisUrl, number, [holder, mine]);
}

/** The holder's process was killed; what lies in the number is a test's. */
async function takeOver(
  redisUrl: string,
  number: number,
  [from, to]: readonly [string, string],
): Promise<boolean> {
  // Compare and set in one step: two files may find the same dead holder.
  const script =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3]) end";
  const set = ['EVAL', script, '1', key(number), from, to, String(claimSeconds)];
  const [taken] = await redisCommands(redisUrl, [set]);
  if (taken !== 'OK') return false;
  await redisCommands(redisUrl, [['SELECT', String(number)], ['FLUSHDB']]);
  return true;
}

function isLeftOver(holder: string): boolean {
  const pid = Number(/^claimed by (\d+)$/.exec(holder)?.[1]);
  if (!Number.isInteger(pid)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
