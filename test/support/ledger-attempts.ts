/** Attempts as the ledger holds them and as /metrics counts them, by the same four labels. */
import { createMeter, type PrometheusMeter } from '@palimpsest/metrics';
import pg from 'pg';
import { expect } from 'vitest';
import { openTurnWorld, type TurnWorld, type TurnWorldOptions } from './turn-world.ts';
import { until } from './until.ts';

/** `layer trigger outcome reason` → how many. */
type Attempts = Readonly<Record<string, number>>;

export async function inLedger(world: TurnWorld): Promise<Attempts> {
  const rows = await query<{ name: string; times: number }>(
    world,
    `SELECT concat_ws(' ', layer, trigger, outcome, reason) AS name, count(*)::int AS times FROM compactions
     WHERE outcome IS NOT NULL GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ name, times }) => [name, times]));
}

export async function inMetrics(meter: PrometheusMeter): Promise<Attempts> {
  const lines = (await meter.text()).matchAll(/^gateway_compaction_attempts_total\{([^}]*)\} (\d+)$/gm);
  const pairs = [...lines].map(([, labels = '', times]) => {
    const value = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    return [['layer', 'trigger', 'outcome', 'reason'].map(value).join(' '), Number(times)] as const;
  });
  return Object.fromEntries(pairs.filter(([, times]) => times > 0));
}

/** Rows of a query in the world's database, beside the service. */
export async function query<Row extends pg.QueryResultRow>(
  world: Pick<TurnWorld, 'databaseUrl'>,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** What happened in any of the tests. */
export class SeenAttempts {
  readonly outcomes = new Set<string>();
  readonly reasons = new Set<string>();

  add(attempts: Attempts): void {
    for (const name of Object.keys(attempts)) {
      const [, , outcome = '', reason = ''] = name.split(' ');
      this.outcomes.add(outcome);
      this.reasons.add(reason);
    }
  }
}

/** These are counted and leave no row: they would be one for each look at a session with room. */
const isCountedOnly = (name: string): boolean => /below_threshold|too_few_messages|noop hot_cache/.test(name);

const rowsOnly = (attempts: Attempts): Attempts =>
  Object.fromEntries(Object.entries(attempts).filter(([name]) => !isCountedOnly(name)));

const sorted = (attempts: Attempts): string => JSON.stringify(Object.entries(attempts).sort());

export interface WatchedWorld extends AsyncDisposable {
  world: TurnWorld;
  /** Wait until both tell of these attempts, compare all there are, and remember what was seen. */
  both(...names: string[]): Promise<void>;
}

export async function watchAttempts(options: TurnWorldOptions, seen: SeenAttempts): Promise<WatchedWorld> {
  const meter = createMeter({ strict: true });
  const world = await openTurnWorld({ ...options, meter });
  const isTold = async (names: readonly string[]): Promise<boolean> => {
    const counted = await inMetrics(meter);
    const rows = await inLedger(world);
    return names.every((name) => name in counted) && sorted(rowsOnly(counted)) === sorted(rows);
  };
  return {
    world,
    async both(...names) {
      // The assertions below say better than a time-out what is missing.
      await until(() => isTold(names)).catch(() => {});
      const counted = await inMetrics(meter);
      expect(rowsOnly(counted)).toEqual(await inLedger(world));
      expect(Object.keys(counted)).toEqual(expect.arrayContaining(names));
      seen.add(counted);
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}
