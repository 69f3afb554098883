/** Does a session's cost depend on how many rows others have? The same operations beside 100,000 and 1,000,000 rows. */
import type { Figures } from './figures.ts';
import { quantiles } from './figures.ts';
import type { BenchInput } from './bench-input.ts';
import { StoreSubject } from './store-subject.ts';

const rowsPerSession = 200;
const sizes = [
  { name: '100k_rows', sessions: 100_000 / rowsPerSession },
  { name: '1m_rows', sessions: 1_000_000 / rowsPerSession },
] as const;

const rounds = 60;
/** Loads and appends of a round; the one compaction of a round takes as long as several of them. */
const perRound = 5;
const warmUpRounds = 5;

/**
 * Two databases side by side, measured in turns, so that whatever else the machine does meets both alike.
 * load = the 200 live rows of a session with their texts; append = a tool round of 4 rows with its search index, one
 * transaction; compact = 400 rows archived and a summary written, one transaction.
 */
export async function benchStore(input: BenchInput): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  const serverUrl = await input.services.databaseUrl();
  const subjects: StoreSubject[] = [];
  for (const size of sizes) {
    input.progress(`store: filling ${size.name.replace('_', ' ')} …`);
    subjects.push(
      await StoreSubject.open(stack, { serverUrl, name: size.name, sessions: size.sessions, rowsPerSession }),
    );
  }
  input.progress('store: measuring …');
  for (let round = -warmUpRounds; round < rounds && !input.signal.aborted; round += 1) {
    if (round === 0) for (const subject of subjects) subject.forgetTimes();
    for (const subject of subjects) await subject.measure(perRound);
  }
  return Object.assign({}, ...subjects.map(figuresOf));
}

function figuresOf({ name, times }: StoreSubject): Figures {
  const figures: Figures = {};
  for (const operation of ['load', 'append', 'compact'] as const) {
    for (const share of [0.5, 0.95]) {
      const [value] = Object.values(quantiles(operation, times[operation], [share]));
      figures[`${operation}_p${share * 100}_ms_${name}`] = value ?? 'not measured';
    }
  }
  return figures;
}
