/** `scale`: 1, 10 and 100 workers against one Postgres and one Redis, by formula and by simulation, from measured times. */
import { defaultConfig, GatewayError } from '@palimpsest/core';
import { rounded } from '../bench/figures.ts';
import { describeMachine } from '../bench/machine.ts';
import type { EvalContext } from '../context.ts';
import { openServices } from '../services/open-services.ts';
import { measureTimes } from './measure-times.ts';
import { simulate } from './simulate.ts';
import {
  bottleneckOf,
  capacityOf,
  meanResponseMs,
  stationsOf,
  type ServiceTimes,
  type Setup,
} from './stations.ts';

const workerCounts = [1, 10, 100] as const;
/** A gateway holds one account; every tenth worker has one beside it. */
const workersPerGateway = 10;
/** How full the bottleneck is where latency is told. */
const usualLoad = 0.8;
const simulatedMessages = 100_000;
const seed = 1;

export interface ScaleOptions {
  json: boolean;
  /** Of a measured step. */
  seconds: number;
  postgresCores: number;
  modelSeconds: number;
}

interface ScaleRow {
  workers: number;
  messages_per_s: number;
  saturates_first: string;
  capacity_per_s: Record<string, number>;
  mean_ms_at_80_percent: number;
  simulated_mean_ms_at_80_percent: number;
  simulated_messages_per_s_when_flooded: number;
}

/** Prints one object, or lines. */
export async function runScale(context: EvalContext, options: ScaleOptions): Promise<number> {
  await using services = openServices(context, 'durable');
  const redis = await services.redis();
  if (redis.url === null)
    throw new GatewayError('input_invalid', `${redis.words}; scale measures what a message costs Redis`);
  const measured = await measureTimes({ ...context, services, seconds: options.seconds });
  const { times, measuredPerSecond, predictedPerSecond } = measured;
  const { concurrency } = defaultConfig().worker;
  const rows = workerCounts.map((workers) => {
    context.progress(`scale: ${workers} workers …`);
    return rowOf(times, {
      gateways: Math.ceil(workers / workersPerGateway),
      workers,
      concurrency,
      postgresCores: options.postgresCores,
      modelMs: options.modelSeconds * 1000,
    });
  });
  const result = {
    machine: await describeMachine(await services.databaseUrl()),
    cpu_ms_per_message: Object.fromEntries(
      Object.entries(times).map(([name, ms]) => [name.replace(/Ms$/, ''), rounded(ms)]),
    ),
    this_machine: {
      predicted_messages_per_s: rounded(predictedPerSecond),
      measured_messages_per_s: rounded(measuredPerSecond),
    },
    postgres_cores: options.postgresCores,
    model_seconds: options.modelSeconds,
    turns_at_once_per_worker: concurrency,
    workers: rows,
  };
  context.print(options.json ? `${JSON.stringify(result)}\n` : tableOf(rows));
  return 0;
}

function rowOf(times: ServiceTimes, setup: Setup): ScaleRow {
  const stations = stationsOf(times, setup);
  const first = bottleneckOf(stations);
  const most = capacityOf(first);
  const usual = most * usualLoad;
  const load = { messages: simulatedMessages, seed };
  return {
    workers: setup.workers,
    messages_per_s: rounded(most),
    saturates_first: first.name,
    capacity_per_s: Object.fromEntries(stations.map((one) => [one.name, rounded(capacityOf(one))])),
    mean_ms_at_80_percent: rounded(meanResponseMs(stations, usual)),
    simulated_mean_ms_at_80_percent: rounded(
      simulate(stations, { ...load, perSecond: usual }).meanResponseMs,
    ),
    simulated_messages_per_s_when_flooded: rounded(
      simulate(stations, { ...load, perSecond: most * 2 }).messagesPerSecond,
    ),
  };
}

function tableOf(rows: readonly ScaleRow[]): string {
  const head = ['workers', 'messages a second', 'saturates first', 'mean ms at 80 %', 'simulated'];
  const lines = rows.map((row) => [
    row.workers,
    row.messages_per_s,
    row.saturates_first,
    row.mean_ms_at_80_percent,
    row.simulated_mean_ms_at_80_percent,
  ]);
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
