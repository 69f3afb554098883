/** What the lossless engine's tables cost: a context, a change of it, many messages, a search; and a thousand sessions at once. */
import type { BenchInput } from './bench-input.ts';
import { type Figures, percentile, rounded } from './figures.ts';
import { type LcmOperation, lcmOperations, lcmWrites } from './lcm-operations.ts';
import { LcmSubject } from './lcm-subject.ts';
import { benchLcmSessions } from './lcm-sessions.ts';

const rowsPerSession = 200;
/** Rows of other sessions: 100,000 and ten times as many. */
const sizes = [
  { suffix: '', sessions: 500 },
  { suffix: '_10x', sessions: 5_000 },
] as const;

const rounds = 60;
const warmUpRounds = 6;

/**
 * Two databases side by side, measured in turns, so that whatever else the machine does meets both alike.
 * assemble = the context of a turn, 100 summaries and 600 to 1,000 messages of 800 bytes, in the worker that answered the one
 * before; assemble_again = the next request of the same turn; assemble_first = in a worker that has never seen the session:
 * state, headers and texts are read; load_first = that reading alone; commit = one column of one row, the floor under every
 * write (the disk's part of it included); replace = a compaction that only changes the list: 100 of
 * its 1,000 items give way to a stored node; replace_list = of that the list's statement and the commit, without ledger and event;
 * leaf = a leaf over 100 of 1,000 messages, condense = a node over 100 of 1,000 summaries, each the whole transaction of a
 * compaction; ingest = 100 messages with their search index; grep over 100,000 messages of one person, by words and (regex)
 * over the newest 10,000. `*_before_commit_*` is the same without the wait for the disk at the end, which nothing here can
 * shorten.
 */
export async function benchLcm(input: BenchInput): Promise<Figures> {
  const figures = await benchOperations(input);
  return input.signal.aborted ? figures : { ...figures, ...(await benchLcmSessions(input)) };
}

async function benchOperations(input: BenchInput): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  const serverUrl = await input.services.databaseUrl();
  const subjects: LcmSubject[] = [];
  for (const { suffix, sessions } of sizes) {
    input.progress(`lcm: filling a database with ${sessions * rowsPerSession} rows …`);
    subjects.push(await LcmSubject.open(stack, { serverUrl, suffix, sessions, rowsPerSession }));
  }
  input.progress('lcm: measuring …');
  for (let round = -warmUpRounds; round < rounds && !input.signal.aborted; round += 1) {
    if (round === 0) for (const subject of subjects) subject.forgetTimes();
    for (const subject of subjects) await subject.measure(round + warmUpRounds);
  }
  return Object.assign({}, ...subjects.map(figuresOf));
}

function figuresOf(subject: LcmSubject): Figures {
  const figures: Figures = {};
  for (const operation of lcmOperations) {
    const { times, beforeCommit, statements } = subject.measured[operation];
    for (const share of [0.5, 0.95]) {
      figures[nameOf(operation, `p${share * 100}_ms`, subject)] = rounded(percentile(times, share));
      if (lcmWrites.includes(operation))
        figures[nameOf(operation, `before_commit_p${share * 100}_ms`, subject)] = rounded(
          percentile(beforeCommit, share),
        );
    }
    figures[nameOf(operation, 'statements', subject)] = statements;
  }
  const perBatch = subject.measured.ingest.times;
  const ingested = perBatch.length * subject.messagesPerBatch;
  const seconds = perBatch.reduce((sum, ms) => sum + ms, 0) / 1_000;
  figures[`ingest_10000_messages_ms${subject.suffix}`] = rounded((seconds * 1_000 * 10_000) / ingested);
  return figures;
}

function nameOf(operation: LcmOperation, what: string, { suffix }: LcmSubject): string {
  return `${operation}_${what}${suffix}`;
}
