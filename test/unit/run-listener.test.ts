/** Whatever ends a listener, it listens again: not at once, and only where this process may. */
import {
  defaultConfig,
  GatewayError,
  silentLogger,
  silentMeter,
  type PlatformListener,
} from '@palimpsest/core';
import { expect, test } from 'vitest';
import { runListener } from '../../apps/gateway/src/run-listener.ts';

type Deps = Parameters<typeof runListener>[0];

/** A listener whose runs end as `ends` says, the last one with everything; `held`: what the lease answers, then yes. */
async function runsOf(ends: (() => Promise<void>)[], held: boolean[] = []) {
  const ending = new AbortController();
  const waits: number[] = [];
  const waiting = [...held];
  let runs = 0;
  const listener: PlatformListener = {
    account: { platform: 'telegram', id: '900' },
    async run() {
      const end = ends[runs++];
      if (runs >= ends.length) ending.abort();
      await end?.();
    },
    lastAlive: () => null,
  };
  const deps = {
    store: { leases: { acquire: async () => waiting.shift() ?? true, release: async () => {} } },
    config: defaultConfig(),
    clock: { now: () => new Date(0), sleep: async (ms: number) => void waits.push(ms) },
    logger: silentLogger,
    meter: silentMeter,
    owner: 'test',
  } as unknown as Deps;
  await runListener(deps, { listener, signs: { seen: () => {} } }, ending.signal);
  return { runs, waits };
}

const breaks = (thrown: Error) => async (): Promise<void> => {
  throw thrown;
};

test('one that breaks, or ends by itself, is started again after two to three seconds each time', async () => {
  const { runs, waits } = await runsOf([
    breaks(new Error('network')),
    async () => {},
    breaks(new TypeError('a bug')),
    async () => {},
  ]);

  expect(runs).toBe(4);
  expect(waits).toHaveLength(3);
  for (const wait of waits) {
    expect(wait).toBeGreaterThanOrEqual(2_000);
    expect(wait).toBeLessThan(3_000);
  }
});

test('one whose token is refused is not started again', async () => {
  const refused = breaks(new GatewayError('platform_unauthorised', 'refused'));

  expect(await runsOf([refused, async () => {}])).toEqual({ runs: 1, waits: [] });
});

test('while another process holds the lease it does not listen; once it is free it does', async () => {
  expect(await runsOf([async () => {}], [false, false])).toEqual({ runs: 1, waits: [3_000, 3_000] });
});
