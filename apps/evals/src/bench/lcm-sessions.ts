import {
  defaultConfig,
  silentLogger,
  systemClock,
  type Config,
  type EngineFactory,
  type Store,
  type Summariser,
} from '@palimpsest/core';
import { lcmFactory } from '@palimpsest/engines';
import { migrate, openHistory, openStore } from '@palimpsest/store';
import { createScratchDatabase } from '@palimpsest/testkit';
import type { BenchInput } from './bench-input.ts';
import { rounded, type Figures } from './figures.ts';
import { newSession, openPlan, talk, viewOf, type Claimed } from './lcm-world.ts';
import { instantModel } from './pipeline/instant-model.ts';

const messagesEach = 500;
/** Sessions that are worked on at the same time, each on a connection of its own. */
const atOnce = 4;
/** Sweeps of a session at most; three are enough. */
const sweepsAtMost = 10;
/** Sessions whose graph is checked afterwards. */
const checked = 20;
const budget = { windowTokens: 64_000, outputReserveTokens: 4_000, overheadTokens: 1_500 };

/** Answers at once with a text of the wanted size or less. */
const instantSummariser: Summariser = {
  model: 'bench/instant',
  windowTokens: 1_000_000,
  summarise: async ({ targetTokens }) => ({
    kind: 'text',
    text: 'The work goes on as agreed. '.repeat(Math.max(4, Math.floor(targetTokens / 12))),
    usage: null,
  }),
};

/** Small leaves, so that 500 messages make many of them and those are condensed. */
function sessionsConfig(): Config {
  const config = defaultConfig();
  const lcm = { ...config.context.lcm, leaf_chunk_tokens: 4_000, condensed_target_tokens: 400 };
  return { ...config, context: { ...config.context, lcm } };
}

interface Counted {
  failures: Map<string, number>;
  applied: number;
  heapBytes: number[];
}

/** Every session is filled, then compacted as far as it goes, by leaf and condensed passes with an instant model. */
export async function benchLcmSessions(input: BenchInput): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createScratchDatabase(await input.services.databaseUrl(), 'bench'));
  await migrate(database.url);
  const options = { databaseUrl: database.url, logger: silentLogger, poolSize: atOnce + 1 };
  const store = await openStore(options);
  stack.defer(() => store.close());
  const history = openHistory(options);
  stack.defer(() => history.close());
  const factory = lcmFactory({ config: sessionsConfig(), store: store.lcm });
  const counted: Counted = { failures: new Map(), applied: 0, heapBytes: [] };
  const names = Array.from({ length: input.sizes.sessions }, (_, index) => `session-${index}`);
  const ids: string[] = [];
  const startedAt = performance.now();
  const waiting = names.values();
  const work = async (): Promise<void> => {
    for (const name of waiting) {
      if (input.signal.aborted) return;
      const claimed = await newSession({ store, history }, name, talk(messagesEach));
      ids.push(claimed.session.id);
      await compactAll({ store, factory, input }, claimed, counted);
      await store.turns.release(claimed.lease);
      if (ids.length % 50 === 0) noteProgress(input, counted, ids.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const seconds = (performance.now() - startedAt) / 1_000;
  return { ...sizesOf(ids.length, counted, seconds), ...(await graphOf(store, ids)) };
}

function noteProgress(input: BenchInput, counted: Counted, done: number): void {
  counted.heapBytes.push(process.memoryUsage().heapUsed);
  input.progress(`lcm: ${done} of ${input.sizes.sessions} sessions …`);
}

interface Parts {
  store: Store;
  factory: EngineFactory;
  input: BenchInput;
}

async function compactAll(parts: Parts, claimed: Claimed, counted: Counted): Promise<void> {
  try {
    for (let sweep = 0; sweep < sweepsAtMost; sweep += 1) {
      if (!(await sweepOnce(parts, claimed))) return;
      counted.applied += 1;
    }
  } catch (thrown) {
    const name = thrown instanceof Error ? thrown.message.slice(0, 80) : 'unknown';
    counted.failures.set(name, (counted.failures.get(name) ?? 0) + 1);
  }
}

/** False when there was nothing left to do. */
async function sweepOnce({ store, factory, input }: Parts, claimed: Claimed): Promise<boolean> {
  const { session } = claimed;
  const [state, rows] = await Promise.all([
    factory.load?.(session),
    store.transcript.liveHeaders(session.id),
  ]);
  const model = { ...instantModel.info, windowTokens: budget.windowTokens };
  const engine = factory.create({ session, model, state });
  const view = viewOf(store, session, { rows, bodies: [] });
  const promptTokens = budget.overheadTokens + (engine.measure?.(view).tokens ?? 0);
  const request = {
    layer: 'manual',
    trigger: 'manual',
    mode: 'full',
    force: true,
    budget,
    promptTokens,
    promptTokensSource: 'estimate',
  } as const;
  const help = { summariser: instantSummariser, clock: systemClock, signal: input.signal };
  const plan = await engine.compress(view, request, help);
  if (plan.kind === 'none') return false;
  const { apply } = await openPlan(store, claimed, plan);
  await apply();
  return true;
}

function sizesOf(sessions: number, counted: Counted, seconds: number): Figures {
  const failures = [...counted.failures.values()].reduce((sum, count) => sum + count, 0);
  const [first = 0] = counted.heapBytes;
  const last = counted.heapBytes.at(-1) ?? 0;
  return {
    sessions,
    sessions_messages: sessions * messagesEach,
    sessions_s: rounded(seconds),
    sessions_per_s: rounded(sessions / seconds),
    sessions_compactions: counted.applied,
    sessions_failed: failures === 0 ? 0 : [...counted.failures.keys()].join(' · '),
    sessions_heap_growth_mb:
      counted.heapBytes.length < 2 ? 'too few sessions' : rounded((last - first) / 2 ** 20),
  };
}

async function graphOf(store: Store, ids: readonly string[]): Promise<Figures> {
  let [leaves, condensed, deepest, items, broken] = [0, 0, 0, 0, 0];
  for (const id of ids) {
    const status = await store.lcm.status(id);
    leaves += status.summariesByDepth[0] ?? 0;
    condensed += status.summariesByDepth.slice(1).reduce((sum, nodes) => sum + nodes, 0);
    deepest = Math.max(deepest, status.maxDepth);
    items += status.items;
  }
  for (const id of ids.slice(0, checked)) {
    const problems = await store.lcm.doctor(id);
    broken += problems.filter((problem) => problem.severity === 'broken').length;
  }
  return {
    sessions_leaves: leaves,
    sessions_condensed: condensed,
    sessions_max_depth: deepest,
    sessions_items: items,
    sessions_broken_rules: broken,
  };
}
