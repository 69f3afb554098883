/** Does a turn cost more where many others have said much? The same turns beside few sessions and beside many. */
import { fillSessions } from '@palimpsest/testkit';
import type { BenchInput } from '../bench-input.ts';
import { percentile, rounded, type Figures, type QueueBackend } from '../figures.ts';
import { openPlace } from '../pipeline/open-world.ts';
import { openWarmWorld } from '../pipeline/warm-world.ts';
import { findServers } from './process-times.ts';
import { figuresOfStep, runStep, type LoadedWorld, type StepResult } from './run-step.ts';
import { Talk } from './talk.ts';

/** 1,000 sessions beside 100,000. */
const smallShare = 0.01;
/** Rows of every session, in both databases. */
const rowsPerSession = 100;
const perSecond = 20;
const rounds = 4;
/** Sessions that are spoken in, spread over all. */
const spokenIn = 500;

interface Side {
  name: string;
  world: LoadedWorld;
  talk: Talk;
  results: StepResult[];
}

/** Both databases stand on one server and take turns, so that whatever else the machine does meets both alike. */
export async function benchLarge(input: BenchInput, backend: QueueBackend, rows: number): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  const most = Math.max(1, Math.round(rows / rowsPerSession));
  const few = Math.max(1, Math.round(most * smallShare));
  const sides: Side[] = [];
  for (const sessions of [few, most]) sides.push(await openSide(stack, input, { backend, sessions }));
  for (let round = 0; round <= rounds && !input.signal.aborted; round += 1) {
    input.progress(`large: round ${round} of ${rounds} …`);
    for (const side of sides) {
      const updates = side.talk.next(perSecond * input.sizes.seconds);
      const result = await runStep(side.world, { perSecond, updates }, input.signal);
      // The first one reads everything for the first time.
      if (round > 0) side.results.push(result);
    }
  }
  return Object.assign(
    { large_rows: most * rowsPerSession },
    ...sides.map(({ name, results }) => figuresOfStep(`large_${name}`, middleOf(results))),
  );
}

async function openSide(
  stack: AsyncDisposableStack,
  input: BenchInput,
  { backend, sessions }: { backend: QueueBackend; sessions: number },
): Promise<Side> {
  const redis = await input.services.redis();
  const place = await openPlace(stack, backend, {
    databaseUrl: await input.services.databaseUrl(),
    redisUrl: redis.url,
  });
  input.progress(`large: filling ${sessions} sessions with ${sessions * rowsPerSession} rows …`);
  await fillSessions(place.databaseUrl, { after: 0, sessions, rows: rowsPerSession });
  const redisUrl = place.redisUrl ?? null;
  const intake = await openWarmWorld(stack, place, input.signal);
  const servers = await findServers(place.databaseUrl, redisUrl);
  const every = Math.max(1, Math.floor(sessions / spokenIn));
  const chats = Array.from(
    { length: Math.min(spokenIn, sessions) },
    (_, index) => `other-${1 + index * every}`,
  );
  const world = { intake, databaseUrl: place.databaseUrl, redisUrl, servers };
  return { name: `${sessions}_sessions`, world, talk: new Talk(chats), results: [] };
}

/** Each figure is the median over the rounds. */
function middleOf(results: readonly StepResult[]): StepResult {
  const middle = (read: (result: StepResult) => number | null): number =>
    rounded(
      percentile(
        results.flatMap((one) => read(one) ?? []),
        0.5,
      ),
    );
  const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);
  return {
    offeredPerSecond: perSecond,
    messagesPerSecond: middle((one) => one.messagesPerSecond),
    replyMs: { p50: middle((one) => one.replyMs.p50), p99: middle((one) => one.replyMs.p99) },
    claimMs: { p50: middle((one) => one.claimMs.p50), p99: middle((one) => one.claimMs.p99) },
    cpuMs: {
      service: middle((one) => one.cpuMs.service),
      postgres: orNull(middle((one) => one.cpuMs.postgres)),
      redis: orNull(middle((one) => one.cpuMs.redis)),
    },
    statements: middle((one) => one.statements),
    transactions: middle((one) => one.transactions),
    redisCommands: orNull(middle((one) => one.redisCommands)),
    keepsUp: results.every((one) => one.keepsUp),
  };
}
