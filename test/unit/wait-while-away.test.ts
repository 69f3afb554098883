import { expect, test } from 'vitest';
import { GatewayError, type Clock } from '@palimpsest/core';
import { waitWhileAway, type Waiting } from '../../apps/cli/src/wait-while-away.ts';

const away = new GatewayError('queue_unavailable', 'nobody there; start it', { retryable: true });

function waiting(): Waiting & { said: string[]; sleeps: number } {
  const noted = { said: [] as string[], sleeps: 0 };
  const clock: Clock = {
    now: () => new Date(0),
    sleep: async () => {
      noted.sleeps += 1;
    },
  };
  const rest = { what: 'Redis at host:1', forMs: 30_000, clock, signal: new AbortController().signal };
  return Object.assign(noted, rest, { say: (line: string) => void noted.said.push(line) });
}

test('what is there is used at once, without a word', async () => {
  const wish = waiting();

  expect(await waitWhileAway(async () => 'here', wish)).toBe('here');
  expect([wish.said, wish.sleeps]).toEqual([[], 0]);
});

test('what comes late is waited for, told once', async () => {
  const wish = waiting();
  let tries = 0;

  const found = await waitWhileAway(async () => {
    tries += 1;
    if (tries < 4) throw away;
    return 'here';
  }, wish);

  expect(found).toBe('here');
  expect(wish.sleeps).toBe(3);
  expect(wish.said).toEqual(['Waiting up to 30 s for Redis at host:1: nobody there; start it.']);
});

test('what does not come is given up when the time is over, with what to do', async () => {
  const wish = waiting();
  const never = waitWhileAway(() => Promise.reject(away), wish);

  await expect(never).rejects.toMatchObject({
    code: 'queue_unavailable',
    message: 'Redis at host:1 did not answer within 30 s: nobody there; start it. Then start again.',
  });
  // Half a second each, and the tries take a moment too.
  expect(wish.sleeps).toBeGreaterThan(50);
  expect(wish.sleeps).toBeLessThanOrEqual(60);
});

test('what waiting cannot help is thrown at once', async () => {
  const wish = waiting();
  const wrong = new GatewayError('database_unavailable', 'no such database');

  await expect(waitWhileAway(() => Promise.reject(wrong), wish)).rejects.toBe(wrong);
  expect(wish.sleeps).toBe(0);
});

test('the signal ends the waiting with its reason', async () => {
  const ending = new AbortController();
  const wish = { ...waiting(), signal: ending.signal };
  const reason = new Error('told to stop');
  ending.abort(reason);

  await expect(waitWhileAway(() => Promise.reject(away), wish)).rejects.toBe(reason);
});
