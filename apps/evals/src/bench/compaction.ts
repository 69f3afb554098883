/** What a compaction costs beside the summary's model call: the plan, the assembly of a prompt, the database. */
import {
  defaultConfig,
  silentLogger,
  systemClock,
  type Config,
  type Summariser,
  type Usage,
} from '@palimpsest/core';
import { compressorFactory } from '@palimpsest/engines';
import { migrate, openHistory, openStore } from '@palimpsest/store';
import { createScratchDatabase } from '@palimpsest/testkit';
import { CompactionSubject, type MeasuredCompaction } from './compaction-subject.ts';
import { percentile, rounded, type Figures } from './figures.ts';
import { longTranscript } from './long-transcript.ts';
import { instantModel } from './pipeline/instant-model.ts';
import type { BenchInput } from './bench-input.ts';

const transcriptTokens = 264_000;
/** Larger ones show that the time grows with the size and no faster. */
const largerTokens = [1_000_000, 2_000_000];
/** What an engine at its trigger has, over the transcript's tokens. */
const windowTimes = 1.14;
/** Each on a session of its own, so that nothing is cached but compiled code. */
const runs = 24;
const runsOfLarger = 5;
const tailModes = ['lean', 'legacy'] as const;
type TailMode = (typeof tailModes)[number];

const summaryUsage: Usage = {
  promptTokens: 30_000,
  outputTokens: 1_500,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

/** Answers at once with a summary of real size; its time is not in any figure. */
const instantSummariser: Summariser = {
  model: 'bench/instant',
  windowTokens: 4_000_000,
  summarise: async () => ({
    kind: 'text',
    text: `## Goal\n${'The work goes on as agreed. '.repeat(200)}`,
    // Counted, as by a provider: nothing has to be estimated again.
    usage: summaryUsage,
  }),
};

/**
 * lean_ms, legacy_ms = plan + assembly of the whole transcript, median; …_first_ms = the first of a session in this process;
 * lean_ms_1000k = the same over 1,000,000 tokens.
 */
export async function benchCompaction(input: BenchInput): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createScratchDatabase(await input.services.databaseUrl(), 'bench'));
  await migrate(database.url);
  const store = await openStore({ databaseUrl: database.url, logger: silentLogger, poolSize: 2 });
  stack.defer(() => store.close());
  const history = openHistory({ databaseUrl: database.url, logger: silentLogger });
  stack.defer(() => history.close());
  const subjectOf = (tokens: number, mode: TailMode): CompactionSubject =>
    new CompactionSubject({
      store,
      history,
      name: `${mode}-${tokens}`,
      rows: longTranscript(input.folder, tokens),
      factory: compressorFactory(configOf(mode)),
      model: { ...instantModel.info, windowTokens: Math.round(tokens * windowTimes) },
      help: { summariser: instantSummariser, clock: systemClock, signal: input.signal },
    });
  const figures: Figures = {};
  for (const mode of tailModes) {
    const subject = subjectOf(transcriptTokens, mode);
    const measured = await measure(subject, { runs, mode, input });
    Object.assign(figures, subject.sizes(mode), timesOf(mode, measured));
  }
  for (const tokens of largerTokens)
    for (const mode of tailModes) {
      const measured = await measure(subjectOf(tokens, mode), { runs: runsOfLarger, mode, input });
      figures[`${mode}_ms_${tokens / 1000}k`] = middle(measured.map(mechanicalMs));
    }
  return figures;
}

function configOf(mode: TailMode): Config {
  const config = defaultConfig();
  return { ...config, compression: { ...config.compression, tail_mode: mode } };
}

async function measure(
  subject: CompactionSubject,
  wish: { runs: number; mode: TailMode; input: BenchInput },
): Promise<readonly MeasuredCompaction[]> {
  const measured: MeasuredCompaction[] = [];
  for (let run = 0; run < wish.runs; run += 1) {
    wish.input.progress(`compaction, ${wish.mode} tail: run ${run + 1} of ${wish.runs} …`);
    measured.push(await subject.measure(run));
  }
  return measured;
}

function timesOf(mode: TailMode, measured: readonly MeasuredCompaction[]): Figures {
  return {
    [`${mode}_first_ms`]: rounded(mechanicalMs(measured[0]!)),
    [`${mode}_ms`]: middle(measured.map(mechanicalMs)),
    [`${mode}_worst_ms`]: rounded(Math.max(...measured.slice(1).map(mechanicalMs))),
    [`${mode}_plan_ms`]: middle(measured.map((run) => run.planMs)),
    [`${mode}_assembly_ms`]: middle(measured.map((run) => run.assemblyMs)),
    [`${mode}_load_ms`]: middle(measured.map((run) => run.loadMs)),
    [`${mode}_apply_ms`]: middle(measured.map((run) => run.applyMs)),
  };
}

function mechanicalMs({ planMs, assemblyMs }: MeasuredCompaction): number {
  return planMs + assemblyMs;
}

function middle(valuesMs: readonly number[]): number {
  return rounded(percentile(valuesMs, 0.5));
}
