import {
  defaultConfig,
  GatewayError,
  silentLogger,
  type CompactionPlan,
  type HistoryStore,
  type LcmGrep,
  type Store,
} from '@palimpsest/core';
import { lcmFactory } from '@palimpsest/engines';
import { migrate, openHistory, openStore } from '@palimpsest/store';
import { createScratchDatabase, fillGraphs, fillSessions, joinSessions } from '@palimpsest/testkit';
import { leafOver, leavesPlan, nodeOver, planWith } from './lcm-plans.ts';
import { account, newSession, openPlan, sender, takeBack, talk, viewOf, type Claimed } from './lcm-world.ts';
import { instantModel } from './pipeline/instant-model.ts';
import { timeOf } from './time-of.ts';

export const lcmOperations = [
  'assemble',
  'assemble_again',
  'load',
  'replace',
  'condense',
  'ingest',
  'grep',
  'grep_regex',
] as const;
export type LcmOperation = (typeof lcmOperations)[number];

/** A person with 100,000 messages. */
const family = { sessions: 50, rows: 2_000 };
const summaries = 100;
const liveRows = 800;
const budget = { windowTokens: 2_000_000, outputReserveTokens: 8_000, overheadTokens: 1_500 };

interface Subjects {
  assembled: Claimed;
  replaced: Claimed;
  condensed: Claimed;
}

interface Wish {
  serverUrl: string;
  suffix: string;
  sessions: number;
  rowsPerSession: number;
}

/** One database full of other people's rows and graphs, and the operations that are timed on it. */
export class LcmSubject {
  readonly suffix: string;
  readonly messagesPerBatch = 100;
  readonly measured = Object.fromEntries(
    lcmOperations.map((name) => [name, { times: [] as number[], statements: 0 }]),
  ) as Record<LcmOperation, { times: number[]; statements: number }>;
  readonly #store: Store;
  readonly #history: HistoryStore;
  readonly #wish: Wish;
  readonly #counted: { statements: number };
  #subjects: Subjects | null = null;

  private constructor(
    wish: Wish,
    parts: { store: Store; history: HistoryStore; counted: { statements: number } },
  ) {
    this.suffix = wish.suffix;
    this.#wish = wish;
    this.#store = parts.store;
    this.#history = parts.history;
    this.#counted = parts.counted;
  }

  static async open(stack: AsyncDisposableStack, wish: Wish): Promise<LcmSubject> {
    const database = stack.use(await createScratchDatabase(wish.serverUrl, 'bench'));
    await migrate(database.url);
    await fillSessions(database.url, { after: 0, sessions: wish.sessions, rows: wish.rowsPerSession });
    await fillSessions(database.url, { after: wish.sessions, ...family });
    await fillGraphs(database.url, { after: 0, sessions: wish.sessions + family.sessions });
    await joinSessions(database.url, { after: wish.sessions, sessions: family.sessions });
    const counted = { statements: 0 };
    const onStatement = (): void => void (counted.statements += 1);
    const options = { databaseUrl: database.url, logger: silentLogger, poolSize: 2, onStatement };
    const store = await openStore(options);
    stack.defer(() => store.close());
    const history = openHistory(options);
    stack.defer(() => history.close());
    const subject = new LcmSubject(wish, { store, history, counted });
    subject.#subjects = await subject.#prepare();
    return subject;
  }

  forgetTimes(): void {
    for (const { times } of Object.values(this.measured)) times.length = 0;
  }

  /** Each operation once. */
  async measure(round: number): Promise<void> {
    await this.#time('load', () => this.#load());
    let again = (): Promise<unknown> => Promise.resolve();
    await this.#time('assemble', async () => {
      again = await this.#assemble();
    });
    await this.#time('assemble_again', () => again());
    await this.#replace(round);
    await this.#condense(round);
    await this.#time('ingest', () => this.#ingest());
    await this.#time('grep', () => this.#grep({ query: `w${(round * 7_919) % 20_000}`, mode: 'full_text' }));
    await this.#time('grep_regex', () =>
      this.#grep({ query: String.raw`talk 1\d${round % 10}7 `, mode: 'regex' }),
    );
  }

  async #time(operation: LcmOperation, work: () => Promise<unknown>): Promise<void> {
    const before = this.#counted.statements;
    const measured = this.measured[operation];
    measured.times.push(await timeOf(work));
    measured.statements = this.#counted.statements - before;
  }

  async #prepare(): Promise<Subjects> {
    const parts = { store: this.#store, history: this.#history };
    const assembled = await newSession(parts, 'assembled', talk(summaries * 10 + liveRows));
    await this.#cover(assembled, { rows: summaries * 10, rowsEach: 10 });
    const replaced = await newSession(parts, 'replaced', talk(1_000));
    const condensed = await newSession(parts, 'condensed', talk(1_010));
    await this.#cover(condensed, { rows: 1_000, rowsEach: 1 });
    return { assembled, replaced, condensed };
  }

  async #cover(claimed: Claimed, wish: { rows: number; rowsEach: number }): Promise<void> {
    const rows = await this.#store.transcript.liveHeaders(claimed.session.id);
    const plan = leavesPlan(claimed.session.id, rows.slice(0, wish.rows), {
      rowsEach: wish.rowsEach,
      name: 'leaf',
    });
    const { apply } = await openPlan(this.#store, claimed, plan);
    await apply();
  }

  async #load(): Promise<void> {
    const { id } = this.#subjects!.assembled.session;
    const { lcm, transcript } = this.#store;
    const [state] = await Promise.all([lcm.load(id), transcript.liveView(id, liveRows)]);
    await lcm.summaries(
      id,
      state.items.map((item) => item.id),
    );
  }

  /** A factory of its own each time: nothing is cached but compiled code. Gives what the next request of the turn costs. */
  async #assemble(): Promise<() => Promise<unknown>> {
    const { session } = this.#subjects!.assembled;
    const factory = lcmFactory({ config: defaultConfig(), store: this.#store.lcm });
    const [state, rows] = await Promise.all([
      factory.load?.(session),
      this.#store.transcript.liveView(session.id, liveRows),
    ]);
    const model = { ...instantModel.info, windowTokens: budget.windowTokens };
    const engine = factory.create({ session, model, state });
    const view = viewOf(this.#store, session, rows);
    const { messages } = await engine.assemble(view, budget);
    if (messages.length < liveRows)
      throw new GatewayError('internal', `a context of ${messages.length} messages was assembled`);
    return () => engine.assemble(view, budget);
  }

  async #replace(round: number): Promise<void> {
    const { replaced } = this.#subjects!;
    const rows = (await this.#store.transcript.liveHeaders(replaced.session.id)).slice(0, 100);
    const leaf = leafOver(replaced.session.id, rows, `round ${round}`);
    const change = { summaries: [leaf], addItems: [{ summaryId: leaf.id, ordinal: rows[0]?.seq ?? 0 }] };
    await this.#applyAndUndo('replace', replaced, planWith(change, leaf.messageIds));
  }

  async #condense(round: number): Promise<void> {
    const { condensed } = this.#subjects!;
    const { items } = await this.#store.lcm.load(condensed.session.id);
    const sources = items.slice(0, 100);
    const node = nodeOver(condensed.session.id, sources, `round ${round}`);
    const change = {
      summaries: [node],
      removeItems: node.sourceIds,
      addItems: [{ summaryId: node.id, ordinal: sources[0]?.ordinal ?? 0 }],
    };
    await this.#applyAndUndo('condense', condensed, planWith(change, []));
  }

  async #applyAndUndo(operation: LcmOperation, claimed: Claimed, plan: CompactionPlan): Promise<void> {
    const { compactionId, apply } = await openPlan(this.#store, claimed, plan);
    await this.#time(operation, apply);
    await takeBack(this.#store, claimed, { compactionId, plan });
  }

  #ingest(): Promise<unknown> {
    return this.#history.importRows({
      account,
      place: { chatId: 'ingested', threadId: '', kind: 'direct' },
      sender,
      engine: 'lcm',
      rows: talk(this.messagesPerBatch),
    });
  }

  async #grep(wish: Pick<LcmGrep, 'query' | 'mode'>): Promise<void> {
    const scope = { sessionId: `other-${this.#wish.sessions + 1}` };
    const asked = { messages: true, summaries: true, limit: 20, sort: 'recency' as const, ...wish };
    const found = await this.#store.lcm.grep(scope, asked);
    if (found.kind === 'refused') throw new GatewayError('internal', `a search was refused: ${found.reason}`);
  }
}
