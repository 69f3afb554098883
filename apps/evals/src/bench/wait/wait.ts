/** Does anybody wait for a summary? One long conversation, a small window, a summariser that takes half a minute. */
import { createWorkerDeps, ownerName, readSettings } from '@palimpsest/cli';
import { silentLogger, silentMeter, systemClock, type IntakePolicy, type Store } from '@palimpsest/core';
import { createQueue } from '@palimpsest/queue';
import { openStore } from '@palimpsest/store';
import { startWorker } from '@palimpsest/worker';
import type { BenchInput } from '../bench-input.ts';
import { percentile, rounded, type Figures } from '../figures.ts';
import { openPlace, type QueuePlace } from '../pipeline/open-world.ts';
import { countingModel } from './counting-model.ts';
import { TurnWaits } from './turn-waits.ts';

const turns = 200;
const everyMs = 1_000;
const windowTokens = 32_000;
const summariserMs = 30_000;
/** A request that leaves later than this after its message was late, whatever it waited for. */
const lateMs = 250;

const policy: IntakePolicy = {
  account: { platform: 'local', id: 'local' },
  lists: { allowAll: true, allowedUsers: [], allowedChats: [] },
  engine: 'compressor',
  waitForMoreMs: 0,
  requireMention: false,
};

/**
 * 200 turns of about 200 tokens, one a second; summaries take 30 s and a hold of hygiene 10 s at most.
 *
 * `speed` k runs all of these k times as fast: a turn every 1/k s, 30/k s, 10/k s. Nothing of our own gets faster by it:
 * the machine has k times less time for the same work, and the figures are printed as measured, not multiplied. So a
 * faster run can only look worse than one in real time (`--speed 1`).
 */
export async function benchWait(input: BenchInput): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  const { speed } = input.sizes;
  const servers = { databaseUrl: await input.services.databaseUrl(), redisUrl: null };
  const waits = new TurnWaits();
  const seen = { largestPrompt: 0 };
  const { store, wake } = await openWorld(stack, await openPlace(stack, 'postgres', servers), {
    waits,
    speed,
    onPrompt: (tokens) => (seen.largestPrompt = Math.max(seen.largestPrompt, tokens)),
  });
  input.progress(`wait: ${turns} turns, one every ${everyMs / speed} ms …`);
  const sessionId = await talk({ store, wake, waits, speed, signal: input.signal });
  const ledger = await store.compactions.ledger({ sessionId, limit: 1_000 });
  const applied = ledger.filter((row) => row.figures !== null);
  return {
    turns: waits.requestMs.length,
    time_compressed_by: speed,
    turn_every_ms: everyMs / speed,
    summariser_ms: summariserMs / speed,
    turns_waited: waits.summaryMs.filter((ms) => ms > 0).length,
    turns_late: waits.requestMs.filter((ms) => ms > lateMs).length,
    ...quantilesOf('wait', waits.requestMs),
    ...quantilesOf('summary_wait', waits.summaryMs),
    window_tokens: windowTokens,
    hard_limit_tokens: windowTokens * 0.9,
    largest_prompt_tokens: seen.largestPrompt,
    summaries_asked: waits.summaries,
    compactions: applied.length,
    compactions_prepared: applied.filter((row) => row.trigger === 'prepared').length,
    compactions_local: applied.filter((row) => row.outcome === 'deterministic').length,
  };
}

function quantilesOf(name: string, valuesMs: readonly number[]): Figures {
  return {
    [`${name}_p50_ms`]: rounded(percentile(valuesMs, 0.5)),
    [`${name}_p99_ms`]: rounded(percentile(valuesMs, 0.99)),
    [`${name}_max_ms`]: rounded(Math.max(...valuesMs)),
  };
}

interface World {
  store: Store;
  wake(sessionId: string): Promise<void>;
}

/** The real worker with the settings of a fresh installation; only model and summariser stand in, in this process. */
async function openWorld(
  stack: AsyncDisposableStack,
  place: QueuePlace,
  of: { waits: TurnWaits; speed: number; onPrompt(tokens: number): void },
): Promise<World> {
  const { waits, speed, onPrompt } = of;
  const fresh = readSettings({}, '/nonexistent');
  const { compression } = fresh.config;
  const hold = compression.hygiene_max_turn_hold_seconds / speed;
  const config = { ...fresh.config, compression: { ...compression, hygiene_max_turn_hold_seconds: hold } };
  const store = await openStore({ databaseUrl: place.databaseUrl, logger: silentLogger, poolSize: 8 });
  stack.defer(() => store.close());
  const queue = await createQueue({ ...place, logger: silentLogger });
  stack.defer(() => queue.close());
  const settings = { ...fresh, config };
  const parts = { settings, logger: silentLogger, meter: silentMeter, queue, owner: ownerName() };
  const model = countingModel(windowTokens, (request, tokens) => {
    onPrompt(tokens);
    if (request.purpose === 'turn') waits.requested();
  });
  const deps = createWorkerDeps({ ...parts, store: waits.store(store) }, model);
  const worker = await startWorker({
    ...deps,
    queue: waits.queue(queue),
    clock: waits.clock(),
    summariser: waits.summariser(summariserMs / speed),
  });
  stack.defer(() => worker.stop(5_000));
  return { store, wake: (sessionId) => queue.wake(sessionId) };
}

interface Talk extends World {
  waits: TurnWaits;
  speed: number;
  signal: AbortSignal;
}

/** One message at its time by the clock, whether the one before was answered or not; the session's id. */
async function talk({ store, wake, waits, speed, signal }: Talk): Promise<string> {
  const startedAt = performance.now();
  let sessionId = '';
  for (let turn = 0; turn < turns && !signal.aborted; turn += 1) {
    await systemClock.sleep(Math.max(0, startedAt + (turn * everyMs) / speed - performance.now()), signal);
    const [stored] = await store.intake.storeUpdates(policy, [updateOf(turn)]);
    waits.committed(`m${turn}`);
    sessionId = stored?.sessionId ?? sessionId;
    await wake(sessionId);
  }
  const patienceMs = summariserMs / speed + 10_000;
  const givenUpAt = performance.now() + patienceMs;
  while (waits.requestMs.length < turns && performance.now() < givenUpAt && !signal.aborted)
    await systemClock.sleep(50, signal);
  return sessionId;
}

/** About 100 tokens, each different. */
function updateOf(turn: number): Parameters<Store['intake']['storeUpdates']>[1][number] {
  const text = `Entry ${turn}: ${'the wind has turned, the pier is free, and the boat needs paint before we sail. '.repeat(4)}`;
  return {
    updateKey: `m${turn}`,
    raw: new TextEncoder().encode(JSON.stringify({ id: `m${turn}`, text })),
    content: {
      kind: 'message',
      chat: { chatId: 'chat', threadId: '', kind: 'direct' },
      sender: { id: 'person', name: 'Ada', isBot: false },
      messageId: `m${turn}`,
      text,
      sentAt: new Date(),
      addressed: true,
    },
  };
}
