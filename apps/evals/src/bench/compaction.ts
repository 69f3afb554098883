/** What a compaction costs beside the summary's model call: the plan, the assembly of a prompt, the database. */
import { defaultConfig, silentLogger, systemClock, type Summariser } from '@palimpsest/core';
import { compressorFactory } from '@palimpsest/engines';
import { migrate, openHistory, openStore } from '@palimpsest/store';
import { createScratchDatabase } from '@palimpsest/testkit';
import { CompactionSubject } from './compaction-subject.ts';
import { percentile, rounded, type Figures } from './figures.ts';
import { longTranscript } from './long-transcript.ts';
import { instantModel } from './pipeline/instant-model.ts';
import type { BenchInput } from './bench-input.ts';

const transcriptTokens = 264_000;
const windowTokens = 300_000;
/** Each on a session of its own, so that nothing is cached but compiled code. */
const runs = 12;

/** Answers at once with a summary of real size; its time is not in any figure. */
const instantSummariser: Summariser = {
  model: 'bench/instant',
  windowTokens: 600_000,
  summarise: async () => ({
    kind: 'text',
    text: `## Goal\n${'The work goes on as agreed. '.repeat(200)}`,
    usage: null,
  }),
};

/** legacy_ms = plan + assembly of the whole transcript, median; legacy_first_ms = the same in a cold process. */
export async function benchCompaction(input: BenchInput): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  const rows = longTranscript(input.folder, transcriptTokens);
  const database = stack.use(await createScratchDatabase(await input.services.databaseUrl(), 'bench'));
  await migrate(database.url);
  const store = await openStore({ databaseUrl: database.url, logger: silentLogger, poolSize: 2 });
  stack.defer(() => store.close());
  const history = openHistory({ databaseUrl: database.url, logger: silentLogger });
  stack.defer(() => history.close());
  const model = { ...instantModel.info, windowTokens };
  const factory = compressorFactory(defaultConfig());
  const help = { summariser: instantSummariser, clock: systemClock, signal: input.signal };
  const subject = new CompactionSubject({ store, history, rows, factory, model, help });
  const measured = [];
  for (let run = 0; run < runs; run += 1) {
    input.progress(`compaction: run ${run + 1} of ${runs} …`);
    measured.push(await subject.measure(run));
  }
  return {
    ...subject.sizes(),
    legacy_first_ms: rounded(measured[0]!.planMs + measured[0]!.assemblyMs),
    ...median(
      'legacy_ms',
      measured.map((run) => run.planMs + run.assemblyMs),
    ),
    legacy_worst_ms: rounded(Math.max(...measured.slice(1).map((run) => run.planMs + run.assemblyMs))),
    ...median(
      'legacy_plan_ms',
      measured.map((run) => run.planMs),
    ),
    ...median(
      'assembly_ms',
      measured.map((run) => run.assemblyMs),
    ),
    ...median(
      'load_ms',
      measured.map((run) => run.loadMs),
    ),
    ...median(
      'apply_ms',
      measured.map((run) => run.applyMs),
    ),
  };
}

function median(name: string, valuesMs: readonly number[]): Figures {
  return { [name]: rounded(percentile(valuesMs, 0.5)) };
}
