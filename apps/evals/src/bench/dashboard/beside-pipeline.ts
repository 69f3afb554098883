/** What 50 people who watch cost those who write: one database, the same messages with and without them. */
import type { BenchInput } from '../bench-input.ts';
import { quantiles, rounded, type Figures } from '../figures.ts';
import { openPlace } from '../pipeline/open-world.ts';
import { floodThrough, pacedMessages, paceThrough, prefixed } from '../pipeline/pipeline.ts';
import { messagesOf, type Intake } from '../pipeline/traffic.ts';
import { openWarmWorld } from '../pipeline/warm-world.ts';
import { processorSeconds, startDashboard } from './dashboard-process.ts';
import { LivePages } from './live-pages.ts';

const shown = ['messages_per_s', 'paced_messages_per_s', 'claim_p50_ms', 'claim_p99_ms'];

/**
 * unwatched_… and watched_…: a flood (messages a second) and a paced run (commit to claim), first before the dashboard is
 * started, then with all pages open; the processor time of the dashboard in each of the two.
 */
export async function benchBesidePipeline(input: BenchInput): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  const { services, signal, progress } = input;
  const redis = await services.redis();
  const servers = { databaseUrl: await services.databaseUrl(), redisUrl: redis.url };
  const place = await openPlace(stack, redis.url === null ? 'postgres' : 'redis', servers);
  const intake = await openWarmWorld(stack, place, signal);
  progress('dashboard: the pipeline with nobody watching …');
  const unwatched = await run(intake, input, { name: 'unwatched' });
  const { url, pid } = await startDashboard(stack, place.databaseUrl, input.env);
  await using pages = await LivePages.open(url);
  progress('dashboard: the pipeline with every page open …');
  const watched = await run(intake, input, { name: 'watched', pid });
  const gaps = quantiles('watched_telling_gap', await pages.gapsMs(), [0.5, 0.99]);
  return { pipeline_queue: place.backend, ...unwatched, ...watched, ...gaps };
}

async function run(
  intake: Intake,
  input: BenchInput,
  { name, pid }: { name: string; pid?: number },
): Promise<Figures> {
  const { sizes, signal } = input;
  const flooded = await costing(pid, 'flood', () =>
    floodThrough(intake, messagesOf(sizes, `${name}-flood`), signal),
  );
  const updates = messagesOf(sizes, `${name}-pace`).slice(0, pacedMessages(sizes));
  const paced = await costing(pid, 'paced', () =>
    paceThrough(intake, updates, { perSecond: sizes.perSecond, signal }),
  );
  return prefixed(name, { ...flooded, ...paced });
}

/** What is shown of a run, and what the dashboard took meanwhile. */
async function costing(
  pid: number | undefined,
  name: string,
  doing: () => Promise<Figures>,
): Promise<Figures> {
  const before = pid === undefined ? 0 : processorSeconds(pid);
  const startedAt = performance.now();
  const figures = await doing();
  const seconds = (performance.now() - startedAt) / 1_000;
  const kept = Object.entries(figures).filter(([key]) => shown.includes(key));
  const percent = pid === undefined ? 0 : ((processorSeconds(pid) - before) / seconds) * 100;
  return {
    ...Object.fromEntries(kept),
    ...(pid === undefined ? {} : { [`${name}_dashboard_cpu_percent_of_a_core`]: rounded(percent) }),
  };
}
