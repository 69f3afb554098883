/** Figures of the database come from one process of all, each with connections of its own to a real Postgres. */
import { silentLogger } from '@palimpsest/core';
import { createMeter, keepExporting } from '@palimpsest/metrics';
import { openStore } from '@palimpsest/store';
import { expect, test } from 'vitest';
import { HandClock } from '../support/hand-clock.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

/** Names of the gauges that come from SQL in a database with a breaker and no debt. */
const fromSql = [
  'gateway_compaction_breaker_open_sessions',
  'gateway_context_sessions_over_threshold',
  'gateway_dead_letters',
  'gateway_delivery_oldest_pending_age_seconds',
  'gateway_delivery_pending',
  'gateway_delivery_unknown',
  'gateway_lcm_breaker_open',
  'gateway_lcm_invariant_violations',
  'gateway_lcm_spend_backoff_sessions',
  'gateway_mailbox_oldest_pending_age_seconds',
  'gateway_mailbox_pending_messages',
  'gateway_sessions',
  'gateway_turns_running',
];
const roundMs = 15_000;

async function openDatabase(): Promise<TestStore> {
  const database = await openTestStore();
  await database.sql(
    `INSERT INTO lcm_breaker (provider, model, failures, open_until) VALUES ('anthropic', 'haiku', 3, now() + interval '1 hour')`,
  );
  return database;
}

/** An exporter as a dashboard runs it. */
async function openExporter(database: TestStore, owner: string) {
  const store = await openStore({ databaseUrl: database.url, logger: silentLogger, poolSize: 1 });
  const meter = createMeter({ strict: true });
  const clock = new HandClock(Date.UTC(2026, 8, 1));
  const ends = new AbortController();
  const { operators, leases, lcm } = store;
  const deps = { operators, leases, lcm, owner, clock, logger: silentLogger };
  const exporting = keepExporting(meter, deps, ends.signal);
  const stop = async (): Promise<void> => {
    ends.abort();
    await exporting;
  };
  /** Names with a value in the text of /metrics, of those that come from SQL. */
  const reported = async (): Promise<string[]> => {
    await expect.poll(() => clock.sleeping()).toEqual([roundMs]);
    const names = (await meter.text()).matchAll(/^(gateway_\w+)(?:\{.*\})? \S+$/gm);
    return [...new Set([...names].map(([, name]) => name!))]
      .filter((name) => fromSql.includes(name))
      .toSorted();
  };
  return {
    reported,
    text: () => meter.text(),
    round: () => clock.passSleep(roundMs),
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await store.close();
    },
  };
}

test('of two exporters one reports; when it ends the other takes over at its next round, without waiting for the lease', async () => {
  await using database = await openDatabase();
  await using first = await openExporter(database, 'dashboard-a');
  expect(await first.reported()).toEqual(fromSql);
  await using second = await openExporter(database, 'dashboard-b');
  expect(await second.reported()).toEqual([]);
  await second.round();
  expect(await second.reported()).toEqual([]);

  await first.stop();
  await second.round();

  expect(await second.reported()).toEqual(fromSql);
  expect(await second.text()).toContain('gateway_lcm_breaker_open{provider="anthropic",model="haiku"} 1');
  expect(await second.text()).toContain('gateway_lcm_invariant_violations{invariant="edge_order"} 0');
});

test('one that hangs is replaced when its lease runs out; come back, it reports nothing, and all of it once it is its turn again', async () => {
  await using database = await openDatabase();
  await using hanging = await openExporter(database, 'dashboard-a');
  expect(await hanging.reported()).toEqual(fromSql);
  await using other = await openExporter(database, 'dashboard-b');
  expect(await other.reported()).toEqual([]);

  await database.sql('UPDATE leases SET until = clock_timestamp()');
  await other.round();
  expect(await other.reported()).toEqual(fromSql);
  await hanging.round();
  expect(await hanging.reported()).toEqual([]);

  await other.stop();
  await hanging.round();
  expect(await hanging.reported()).toEqual(fromSql);
});
