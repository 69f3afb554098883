/** One step of a load: so many messages a second for some seconds, and what each of them cost. */
import { setTimeout as wait } from 'node:timers/promises';
import type { IncomingUpdate } from '@palimpsest/core';
import { queryDatabase } from '@palimpsest/testkit';
import { redisCommands } from '../../../../../infra/bootstrap/tests/redis-client.ts';
import { percentile, rounded, type Figures } from '../figures.ts';
import { pace, type Intake } from '../pipeline/traffic.ts';
import { untilAllStored } from '../pipeline/warm-world.ts';
import { readProcessTimes, type ProcessTimes, type ServerProcesses } from './process-times.ts';

/** A connection hands its counts to the database when it has been idle for this long. */
const countsSettleMs = 1_200;
/** A step is kept up with when replies come as fast as messages do (so much of it) and nearly all within a second. */
const leastShare = 0.95;
const mostReplyMs = 1_000;

export interface LoadedWorld {
  intake: Intake;
  databaseUrl: string;
  /** null: the queue lies in the database. */
  redisUrl: string | null;
  servers: ServerProcesses;
}

export interface Step {
  perSecond: number;
  updates: readonly IncomingUpdate[];
}

export interface StepResult {
  offeredPerSecond: number;
  messagesPerSecond: number;
  replyMs: { p50: number; p99: number };
  claimMs: { p50: number; p99: number };
  /** Processor milliseconds a message. */
  cpuMs: ProcessTimes;
  statements: number;
  transactions: number;
  redisCommands: number | null;
  keepsUp: boolean;
}

/** Send the messages at their times, wait for every reply, and count. */
export async function runStep(world: LoadedWorld, step: Step, signal: AbortSignal): Promise<StepResult> {
  const { times } = world.intake;
  const count = step.updates.length;
  const [sqlBefore, redisBefore] = await readCounts(world);
  const cpuBefore = readProcessTimes(world.servers);
  times.begin(count);
  const startedAt = performance.now();
  await pace(step.updates, step.perSecond, world.intake);
  await untilAllStored(times, count, signal);
  const cpuMs = differenceOf(readProcessTimes(world.servers), cpuBefore, count);
  const { statements } = times;
  await wait(countsSettleMs);
  const [sqlAfter, redisAfter] = await readCounts(world);
  const messagesPerSecond = (count * 1000) / (times.lastReplyAt() - startedAt);
  const replyMs = middleAndEnd(times.toReply());
  // The last message is sent one pause before the end of the step, and its reply takes its time.
  const offered = (count * 1000) / ((count * 1000) / step.perSecond + replyMs.p50);
  return {
    offeredPerSecond: step.perSecond,
    messagesPerSecond,
    replyMs,
    claimMs: middleAndEnd(times.toClaim()),
    cpuMs,
    statements: statements / count,
    transactions: (sqlAfter - sqlBefore) / count,
    redisCommands: redisAfter === null || redisBefore === null ? null : (redisAfter - redisBefore) / count,
    keepsUp: messagesPerSecond >= leastShare * offered && replyMs.p99 <= mostReplyMs,
  };
}

/** `{name}_messages_per_s` and the rest of a step. */
export function figuresOfStep(name: string, result: StepResult): Figures {
  const { replyMs, claimMs } = result;
  const { redis, ...ofAll } = result.cpuMs;
  const cpuMs = result.redisCommands === null ? ofAll : { ...ofAll, redis };
  return {
    [`${name}_messages_per_s`]: rounded(result.messagesPerSecond),
    [`${name}_claim_p50_ms`]: rounded(claimMs.p50),
    [`${name}_claim_p99_ms`]: rounded(claimMs.p99),
    [`${name}_reply_p50_ms`]: rounded(replyMs.p50),
    [`${name}_reply_p99_ms`]: rounded(replyMs.p99),
    ...Object.fromEntries(
      Object.entries(cpuMs).map(([who, ms]) => [
        `${name}_${who}_cpu_ms_per_message`,
        ms === null ? 'not on this machine' : rounded(ms as number),
      ]),
    ),
    [`${name}_sql_statements_per_message`]: rounded(result.statements),
    [`${name}_sql_transactions_per_message`]: rounded(result.transactions),
    ...(result.redisCommands === null
      ? {}
      : { [`${name}_redis_commands_per_message`]: rounded(result.redisCommands) }),
  };
}

/** Transactions of the database (the queue's own among them) and commands of Redis, so far. */
async function readCounts({ databaseUrl, redisUrl }: LoadedWorld): Promise<[number, number | null]> {
  const [row] = await queryDatabase(
    databaseUrl,
    'SELECT xact_commit::float8 AS count FROM pg_stat_database WHERE datname = current_database()',
  );
  if (redisUrl === null) return [Number(row?.['count']), null];
  const [info] = await redisCommands(redisUrl, [['INFO', 'stats']]);
  return [Number(row?.['count']), Number(/total_commands_processed:(\d+)/.exec(String(info))?.[1])];
}

function differenceOf(after: ProcessTimes, before: ProcessTimes, count: number): ProcessTimes {
  const each = (now: number | null, then: number | null): number | null =>
    now === null || then === null ? null : (now - then) / count;
  return {
    service: (after.service - before.service) / count,
    postgres: each(after.postgres, before.postgres),
    redis: each(after.redis, before.redis),
  };
}

function middleAndEnd(valuesMs: readonly number[]): { p50: number; p99: number } {
  return { p50: percentile(valuesMs, 0.5), p99: percentile(valuesMs, 0.99) };
}
