import { expect, test } from 'vitest';
import { ask, startPages, type PagesUnderTest } from '../support/dashboard.ts';
import { FakeWorld } from '../support/dashboard-world.ts';

const telegram = { platform: 'telegram', id: '4711' } as const;

async function checks(
  pages: PagesUnderTest,
): Promise<{ status: number; failed: string[]; details: Record<string, string> }> {
  const answer = await ask(`${pages.url}/readyz`);
  const list = answer.json()['checks'] as { name: string; ok: boolean; detail: string }[];
  return {
    status: answer.status,
    failed: list.filter((check) => !check.ok).map((check) => check.name),
    details: Object.fromEntries(list.map((check) => [check.name, check.detail])),
  };
}

test('healthz is fine while the event loop keeps up', async () => {
  await using pages = await startPages({ deps: { loopLagMs: () => 12 } });

  const answer = await ask(`${pages.url}/healthz`);

  expect([answer.status, answer.json()]).toEqual([
    200,
    { status: 'ok', event_loop_lag_ms: 12, event_loop_lag_limit_ms: 1000 },
  ]);
});

test('healthz is 503 when the event loop is late', async () => {
  await using pages = await startPages({ deps: { loopLagMs: () => 2_500 } });

  expect((await ask(`${pages.url}/healthz`)).status).toBe(503);
});

test('healthz measures the loop by itself', async () => {
  await using pages = await startPages();

  expect((await ask(`${pages.url}/healthz`)).json()['status']).toBe('ok');
});

test('healthz does not ask the database', async () => {
  await using pages = await startPages();
  pages.world.away = true;

  expect((await ask(`${pages.url}/healthz`)).status).toBe(200);
});

test('readyz says what it found, each check by name', async () => {
  await using pages = await startPages();

  expect(await checks(pages)).toEqual({
    status: 200,
    failed: [],
    details: { database: 'PostgreSQL 18.4, migrated', queue: 'BullMQ on postgres' },
  });
});

test('readyz is 503 with the database away', async () => {
  await using pages = await startPages();
  pages.world.away = true;

  expect(await checks(pages)).toMatchObject({ status: 503, failed: ['database'] });
});

test('readyz is 503 with an unmigrated database, and says what to run', async () => {
  await using pages = await startPages();
  pages.world.migrated = false;

  const { status, details } = await checks(pages);

  expect([status, details['database']]).toEqual([
    503,
    'PostgreSQL 18.4 is not migrated; run npm run -s palimpsest -- migrate',
  ]);
});

test('readyz is 503 with the queue away', async () => {
  await using pages = await startPages();
  pages.world.queueAway = true;

  expect(await checks(pages)).toMatchObject({ status: 503, failed: ['queue'] });
});

test('a check that never answers has failed', async () => {
  const queue = {
    backend: 'redis',
    ping: () => new Promise<void>(() => {}),
    counts: async () => ({}),
  } as const;
  const world = new FakeWorld();
  await using pages = await startPages({ world, deps: { queue: { ...world.deps().queue, ...queue } } });

  expect(await checks(pages)).toMatchObject({ status: 503, details: { queue: 'no answer within 2000 ms' } });
});

test('an account this process listens to is ready once the platform was heard, and not when it is silent for long', async () => {
  await using pages = await startPages();
  const { world } = pages;
  world.holders.set('poller:telegram-4711', 'me');

  world.accounts = [{ account: telegram, lastAlive: null }];
  expect((await checks(pages)).details['account telegram-4711']).toBe('nothing heard from the platform yet');

  world.accounts = [{ account: telegram, lastAlive: new Date() }];
  expect((await checks(pages)).status).toBe(200);

  world.accounts = [{ account: telegram, lastAlive: new Date(Date.now() - 200_000) }];
  expect(await checks(pages)).toMatchObject({ status: 503, failed: ['account telegram-4711'] });
});

test('an account is ready when another live process listens, and not when nobody does', async () => {
  await using pages = await startPages();
  const { world } = pages;
  world.accounts = [{ account: telegram, lastAlive: null }];

  expect((await checks(pages)).details['account telegram-4711']).toBe(
    'no process listens to this account; the log of the gateway says why',
  );

  world.holders.set('poller:telegram-4711', 'another');
  expect(await checks(pages)).toMatchObject({
    status: 200,
    details: { 'account telegram-4711': 'another process listens' },
  });
});

test('metrics come with the content type of the exposition format', async () => {
  await using pages = await startPages();

  expect((await ask(`${pages.url}/metrics`)).headers['content-type']).toBe('text/plain; version=0.0.4');
});
