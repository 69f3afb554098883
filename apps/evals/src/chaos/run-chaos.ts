/** `chaos`: the service under random faults, and a checker over what people saw and what is stored. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GatewayError } from '@palimpsest/core';
import { queryDatabase } from '@palimpsest/testkit';
import type { EvalContext } from '../context.ts';
import { planFaults, type PlannedFault } from './faults.ts';
import { judge } from './judge.ts';
import { keepEvidence } from './keep-evidence.ts';
import { chats, idOf, planTalk, type Chat, type PlannedWord } from './people.ts';
import { playFault } from './play-fault.ts';
import { applied, channelOf, readRecords, shownIn } from './records.ts';
import { filler, marksIn } from './script.ts';
import { openStage, type Setting, type Stage } from './stage.ts';

const quietLimitMs = 240_000;

export interface ChaosOptions {
  minutes: number;
  seed: number;
  json: boolean;
  /** Folder for logs, requests and tables when something is broken; empty: none are kept. */
  logs: string;
}

export interface ChaosReport {
  seed: number;
  minutes: number;
  setting: Setting;
  /** How many faults of each kind there were. */
  faults: Record<string, number>;
  said: number;
  answers: number;
  compactions: number;
  /** Answers that people saw twice, marked as such. */
  repeats: number;
  violations: string[];
}

/** Exit code 1 when a promise was broken. */
export async function runChaos(context: EvalContext, options: ChaosOptions): Promise<number> {
  const report = await playChaos(context, options);
  const lines = [
    `seed ${report.seed}, ${report.minutes} minutes, ${report.setting.engine}, queue on ${report.setting.queue}`,
    `faults: ${Object.entries(report.faults)
      .map(([kind, times]) => `${times} ${kind}`)
      .join(', ')}`,
    `${report.said} messages, ${report.answers} answers, ${report.repeats} marked repeats, ${report.compactions} compactions`,
    ...report.violations,
    `${report.violations.length} promises broken`,
  ];
  context.print(options.json ? `${JSON.stringify(report)}\n` : `${lines.join('\n')}\n`);
  return report.violations.length > 0 ? 1 : 0;
}

/** Play one seed and judge it. */
async function playChaos(context: EvalContext, options: ChaosOptions): Promise<ChaosReport> {
  const runMs = options.minutes * 60_000;
  const schemas = resolve(context.folder, '../shared');
  if (!existsSync(join(schemas, 'telegram/bot-api.json'))) {
    throw new GatewayError(
      'input_invalid',
      `${schemas} is missing; the counterparts check our requests against the schemas there.`,
    );
  }
  const setting = settingOf(options.seed);
  await using stage = await openStage({ setting, schemas, path: context.env['PATH'] ?? '' });
  const faults = planFaults(options.seed, runMs);
  const said = new Map<Chat, string[]>();
  await Promise.all([
    playFaults(stage, faults, context),
    playTalk(stage, planTalk(options.seed, runMs), { said, signal: context.signal }),
  ]);
  await heal(stage);
  for (const chat of chats)
    say(stage, { chat, mark: `q${(said.get(chat)?.length ?? 0) + 1}`, isLong: false }, said);
  const restless = await untilQuiet(stage, said);
  const badEnds = await stage.crew.stop();
  const records = await readRecords(stage, said);
  const [counts] = await queryDatabase(
    stage.databaseUrl,
    `SELECT count(*)::int AS compactions FROM compactions WHERE outcome IN (${applied})`,
  );
  const violations = [...restless, ...badEnds, ...judge(records)];
  if (violations.length > 0 && options.logs !== '')
    await keepEvidence(stage, records, resolve(context.folder, options.logs));
  return {
    seed: options.seed,
    minutes: options.minutes,
    setting,
    faults: countKinds(faults),
    said: records.chats.reduce((sum, chat) => sum + chat.said.length, 0),
    answers: records.chats.reduce((sum, chat) => sum + chat.answers.length, 0),
    compactions: Number(counts?.compactions ?? 0),
    repeats: records.chats.flatMap(({ shown }) => shown).filter((text) => text.startsWith('(this may'))
      .length,
    violations,
  };
}

/** Every engine and both queues get their turn as seeds go on. */
function settingOf(seed: number): Setting {
  const engines = ['compressor', 'lcm', 'rotation', 'dcp'] as const;
  return { engine: engines[seed % engines.length]!, queue: seed % 5 === 4 ? 'postgres' : 'redis' };
}

async function playFaults(
  stage: Stage,
  faults: readonly PlannedFault[],
  context: EvalContext,
): Promise<void> {
  const startedAt = performance.now();
  const running: Promise<void>[] = [];
  for (const { atMs, fault } of faults) {
    await wait(Math.max(0, startedAt + atMs - performance.now()));
    if (context.signal.aborted) break;
    context.progress(`${(atMs / 1000).toFixed(1)} s  ${JSON.stringify(fault)}`);
    running.push(playFault(stage, fault));
  }
  await Promise.all(running);
}

async function playTalk(
  stage: Stage,
  words: readonly PlannedWord[],
  { said, signal }: { said: Map<Chat, string[]>; signal: AbortSignal },
): Promise<void> {
  const startedAt = performance.now();
  for (const word of words) {
    await wait(Math.max(0, startedAt + word.atMs - performance.now()));
    if (signal.aborted) return;
    say(stage, word, said);
  }
}

function say(
  stage: Stage,
  { chat, mark, isLong }: Omit<PlannedWord, 'atMs'>,
  said: Map<Chat, string[]>,
): void {
  said.set(chat, [...(said.get(chat) ?? []), mark]);
  const text = isLong ? `${mark} ${filler}` : `${mark} when does the ferry leave?`;
  if (chat.platform === 'telegram') {
    stage.telegram.userSends({ chatId: Number(idOf(chat)), text });
    return;
  }
  const author = { id: idOf(chat), username: `person${chat.index}` };
  stage.discord.userSends({ channelId: channelOf(stage, chat), author, content: text });
}

async function heal(stage: Stage): Promise<void> {
  stage.lines.heal();
  stage.redis.thaw();
  await stage.redis.restart();
  await stage.crew.heal();
}

/** Everything is answered and nothing is open; else what is still restless. */
async function untilQuiet(stage: Stage, said: ReadonlyMap<Chat, readonly string[]>): Promise<string[]> {
  const deadline = performance.now() + quietLimitMs;
  for (;;) {
    const open = await openWork(stage, said);
    if (open === null) return [];
    if (performance.now() > deadline)
      return [`not quiet ${quietLimitMs / 1000} s after the last fault: ${open}`];
    await wait(500);
  }
}

async function openWork(stage: Stage, said: ReadonlyMap<Chat, readonly string[]>): Promise<string | null> {
  const [open] = await queryDatabase(
    stage.databaseUrl,
    `SELECT
      (SELECT count(*) FROM mailbox WHERE state IN ('pending', 'claimed') AND kind <> 'edit')::int AS mailbox,
      (SELECT count(*) FROM turns WHERE state = 'running')::int AS turns,
      (SELECT count(*) FROM outbox WHERE state IN ('open', 'pending', 'sending'))::int AS outbox`,
  );
  if (Object.values(open ?? {}).some((count) => count !== 0)) return JSON.stringify(open);
  const waiting = chats.filter((chat) => {
    const last = said.get(chat)?.at(-1);
    return last !== undefined && !shownIn(stage, chat).flatMap(marksIn).includes(last);
  });
  return waiting.length === 0
    ? null
    : `unanswered in ${waiting.map((chat) => `${chat.platform} ${idOf(chat)}`).join(', ')}`;
}

function countKinds(faults: readonly PlannedFault[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { fault } of faults) counts[fault.kind] = (counts[fault.kind] ?? 0) + 1;
  return counts;
}
