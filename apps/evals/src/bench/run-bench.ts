import { GatewayError } from '@palimpsest/core';
import type { EvalContext } from '../context.ts';
import { openServices } from '../services/open-services.ts';
import type { BenchInput } from './bench-input.ts';
import { benchCache } from './cache/cache.ts';
import { benchCompaction } from './compaction.ts';
import { benchDashboard } from './dashboard/dashboard.ts';
import { benchEstimate } from './estimate/estimate.ts';
import type { BenchSizes, Figures } from './figures.ts';
import { benchLcm } from './lcm.ts';
import { benchLoad } from './load/load.ts';
import { describeMachine } from './machine.ts';
import { benchPeople } from './people/people.ts';
import { benchPipeline } from './pipeline/pipeline.ts';
import { benchSearch } from './search/search.ts';
import { benchStore } from './store.ts';
import { benchWait } from './wait/wait.ts';

interface Bench {
  run(input: BenchInput): Promise<Figures>;
  needsDatabase: boolean;
}

const benches: Readonly<Record<string, Bench>> = {
  pipeline: { run: benchPipeline, needsDatabase: true },
  compaction: { run: benchCompaction, needsDatabase: true },
  store: { run: benchStore, needsDatabase: true },
  lcm: { run: benchLcm, needsDatabase: true },
  wait: { run: benchWait, needsDatabase: true },
  cache: { run: benchCache, needsDatabase: true },
  dashboard: { run: benchDashboard, needsDatabase: true },
  people: { run: benchPeople, needsDatabase: true },
  search: { run: benchSearch, needsDatabase: true },
  load: { run: benchLoad, needsDatabase: true },
  estimate: { run: benchEstimate, needsDatabase: false },
};

export const benchNames = Object.keys(benches);

/** Run one bench and print `{bench, machine, figures}`, or a table without --json. Returns the exit code. */
export async function runBench(
  name: string,
  context: EvalContext,
  options: BenchSizes & { json: boolean },
): Promise<number> {
  const bench = benches[name];
  if (!bench) {
    throw new GatewayError(
      'input_invalid',
      `no bench is named ${JSON.stringify(name)}; there are ${benchNames.join(', ')}`,
    );
  }
  await using services = openServices(context, 'durable');
  const figures = await bench.run({ ...context, services, sizes: options });
  const machine = await describeMachine(bench.needsDatabase ? await services.databaseUrl() : null);
  if (options.json) context.print(`${JSON.stringify({ bench: name, machine, figures })}\n`);
  else context.print(table(name, { ...machine }, figures));
  return 0;
}

function table(name: string, machine: Figures, figures: Figures): string {
  const where = Object.entries(machine).map(([key, value]) => `${key} ${value}`);
  const width = Math.max(...Object.keys(figures).map((key) => key.length));
  const lines = Object.entries(figures).map(([key, value]) => `  ${key.padEnd(width)}  ${value}`);
  return [`${name}: ${where.join(' · ')}`, ...lines, ''].join('\n');
}
