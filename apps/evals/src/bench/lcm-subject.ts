import {
  defaultConfig,
  GatewayError,
  silentLogger,
  type CompactionPlan,
  type EngineFactory,
  type HistoryStore,
  type LcmGrep,
  type LcmNewSummary,
  type Store,
} from '@palimpsest/core';
import { lcmFactory } from '@palimpsest/engines';
import { migrate, openHistory, openStore } from '@palimpsest/store';
import { createScratchDatabase, fillGraphs, fillSessions, joinSessions } from '@palimpsest/testkit';
import { type LcmOperation, newMeasures } from './lcm-operations.ts';
import { leafOver, leavesPlan, nodeOver, planWith } from './lcm-plans.ts';
import { importOf, newSession, openPlan, takeBack, talk, viewOf, type Claimed } from './lcm-world.ts';
import { instantModel } from './pipeline/instant-model.ts';
import { StatementTimes } from './statement-times.ts';
import { timeOf } from './time-of.ts';

/** A person with 100,000 messages. */
const family = { sessions: 50, rows: 2_000 };
const summaries = 100;
/** At the beginning; each assembly is that of a further message and its answer. */
const liveRows = 600;
/** In a round. */
const assemblies = 3;
/** Of each kind in a round. */
const shortWrites = 5;
/** Texts that a prompt may hold. */
const mostTexts = 2_000;
const budget = { windowTokens: 2_000_000, outputReserveTokens: 8_000, overheadTokens: 1_500 };

interface Subjects {
  assembled: Claimed;
  replaced: Claimed;
  condensed: Claimed;
  /** A node over the first 100 summaries of `condensed` that is not in its context. */
  spare: string;
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
  readonly measured = newMeasures();
  readonly #store: Store;
  readonly #history: HistoryStore;
  readonly #wish: Wish;
  readonly #counted: StatementTimes;
  readonly #factory: EngineFactory;
  #subjects: Subjects | null = null;

  private constructor(wish: Wish, parts: { store: Store; history: HistoryStore; counted: StatementTimes }) {
    this.suffix = wish.suffix;
    this.#wish = wish;
    this.#store = parts.store;
    this.#history = parts.history;
    this.#counted = parts.counted;
    this.#factory = this.#newFactory();
  }

  static async open(stack: AsyncDisposableStack, wish: Wish): Promise<LcmSubject> {
    const database = stack.use(await createScratchDatabase(wish.serverUrl, 'bench'));
    await migrate(database.url);
    await fillSessions(database.url, { after: 0, sessions: wish.sessions, rows: wish.rowsPerSession });
    await fillSessions(database.url, { after: wish.sessions, ...family });
    await fillGraphs(database.url, { after: 0, sessions: wish.sessions + family.sessions });
    await joinSessions(database.url, { after: wish.sessions, sessions: family.sessions });
    const counted = new StatementTimes();
    const options = {
      databaseUrl: database.url,
      logger: silentLogger,
      poolSize: 2,
      onStatement: counted.sent,
    };
    const store = await openStore(options);
    stack.defer(() => store.close());
    const history = openHistory(options);
    stack.defer(() => history.close());
    const subject = new LcmSubject(wish, { store, history, counted });
    subject.#subjects = await subject.#prepare();
    return subject;
  }

  forgetTimes(): void {
    for (const { times, beforeCommit } of Object.values(this.measured))
      times.length = beforeCommit.length = 0;
  }

  /** Each operation once, the short ones several times: the 95th of a hundred is not told by the third slowest of 60. */
  async measure(round: number): Promise<void> {
    await this.#assembleFirst();
    for (let time = 0; time < assemblies; time += 1) await this.#assembleNext();
    for (let time = 0; time < shortWrites; time += 1) {
      await this.#commit(round);
      await this.#replace();
    }
    await this.#leaf(round);
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
    const startedAt = performance.now();
    measured.times.push(await timeOf(work));
    measured.beforeCommit.push(this.#counted.lastAt - startedAt);
    measured.statements = this.#counted.statements - before;
  }

  async #prepare(): Promise<Subjects> {
    const parts = { store: this.#store, history: this.#history };
    const assembled = await newSession(parts, 'assembled', talk(summaries * 10 + liveRows));
    await this.#cover(assembled, { rows: summaries * 10, rowsEach: 10 });
    const replaced = await newSession(parts, 'replaced', talk(1_000));
    const condensed = await newSession(parts, 'condensed', talk(1_010));
    await this.#cover(condensed, { rows: 1_000, rowsEach: 1 });
    const { node, plan } = await this.#nodePlan(condensed, 'spare');
    const { compactionId, apply } = await openPlan(this.#store, condensed, plan);
    await apply();
    await takeBack(this.#store, condensed, { compactionId, plan });
    return { assembled, replaced, condensed, spare: node.id };
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

  /** As a worker does that has never seen the session, or not since its last compaction. */
  async #assembleFirst(): Promise<void> {
    const { assembled } = this.#subjects!;
    await this.#rewrite(assembled);
    await this.#time('load_first', () => this.#load(assembled.session.id));
    await this.#rewrite(assembled);
    const factory = this.#newFactory();
    await this.#time('assemble_first', () => this.#assemble(factory));
  }

  /** As the worker does that answered the session's last message, for the next one and once more after a tool's answer. */
  async #assembleNext(): Promise<void> {
    await this.#history.importRows(importOf('assembled', talk(2)));
    let again = (): Promise<unknown> => Promise.resolve();
    await this.#time('assemble', async () => {
      again = await this.#assemble(this.#factory);
    });
    await this.#time('assemble_again', () => again());
  }

  /** A compaction and its undo: whatever was read of the session before no longer holds. */
  async #rewrite(claimed: Claimed): Promise<void> {
    const rows = (await this.#store.transcript.liveHeaders(claimed.session.id)).slice(0, 2);
    const plan = leavesPlan(claimed.session.id, rows, { rowsEach: 2, name: 'taken back' });
    const { compactionId, apply } = await openPlan(this.#store, claimed, plan);
    await apply();
    await takeBack(this.#store, claimed, { compactionId, plan });
  }

  async #load(id: string): Promise<void> {
    const { lcm, transcript } = this.#store;
    const [state] = await Promise.all([lcm.load(id), transcript.liveView(id, mostTexts)]);
    await lcm.summaries(
      id,
      state.items.map((item) => item.id),
    );
  }

  #newFactory(): EngineFactory {
    return lcmFactory({ config: defaultConfig(), store: this.#store.lcm });
  }

  /** Gives what the next request of the turn costs. */
  async #assemble(factory: EngineFactory): Promise<() => Promise<unknown>> {
    const { session } = this.#subjects!.assembled;
    const [state, rows] = await Promise.all([
      factory.load?.(session),
      this.#store.transcript.liveView(session.id, mostTexts),
    ]);
    const model = { ...instantModel.info, windowTokens: budget.windowTokens };
    const engine = factory.create({ session, model, state });
    const view = viewOf(this.#store, session, rows);
    const { messages } = await engine.assemble(view, budget);
    if (messages.length < summaries + liveRows)
      throw new GatewayError('internal', `a context of ${messages.length} messages was assembled`);
    return () => engine.assemble(view, budget);
  }

  /** The least that a durable write costs here: one column of one row, under the lease. */
  async #commit(round: number): Promise<void> {
    const { lease } = this.#subjects!.condensed;
    await this.#time('commit', () => this.#store.turns.patchSession(lease, { title: `round ${round}` }));
  }

  /**
   * 100 items of 1,000 give way to a node that is stored already. The list changes only with a compaction, so it is timed within
   * one: its statement and the commit, without what stands beside them.
   */
  async #replace(): Promise<void> {
    const { condensed, spare } = this.#subjects!;
    const { items } = await this.#store.lcm.load(condensed.session.id);
    const sources = items.slice(0, 100);
    const change = {
      removeItems: sources.map((item) => item.id),
      addItems: [{ summaryId: spare, ordinal: sources[0]?.ordinal ?? 0 }],
    };
    const plan = planWith(change, []);
    const { compactionId, apply } = await openPlan(this.#store, condensed, plan);
    await this.#time('replace', apply);
    const listMs = this.#counted.took('lcm_replace_items');
    const list = this.measured.replace_list;
    list.times.push(listMs + this.#counted.took('commit'));
    list.beforeCommit.push(listMs);
    list.statements = 2;
    await takeBack(this.#store, condensed, { compactionId, plan });
  }

  async #leaf(round: number): Promise<void> {
    const { replaced } = this.#subjects!;
    const rows = (await this.#store.transcript.liveHeaders(replaced.session.id)).slice(0, 100);
    const leaf = leafOver(replaced.session.id, rows, `round ${round}`);
    const change = { summaries: [leaf], addItems: [{ summaryId: leaf.id, ordinal: rows[0]?.seq ?? 0 }] };
    await this.#applyAndUndo('leaf', replaced, planWith(change, leaf.messageIds));
  }

  async #condense(round: number): Promise<void> {
    const { condensed } = this.#subjects!;
    const { plan } = await this.#nodePlan(condensed, `round ${round}`);
    await this.#applyAndUndo('condense', condensed, plan);
  }

  /** A node over the first 100 summaries of a context. */
  async #nodePlan(
    { session }: Claimed,
    name: string,
  ): Promise<{ node: LcmNewSummary; plan: CompactionPlan }> {
    const { items } = await this.#store.lcm.load(session.id);
    const sources = items.slice(0, 100);
    const node = nodeOver(session.id, sources, name);
    const change = {
      summaries: [node],
      removeItems: node.sourceIds,
      addItems: [{ summaryId: node.id, ordinal: sources[0]?.ordinal ?? 0 }],
    };
    return { node, plan: planWith(change, []) };
  }

  async #applyAndUndo(operation: LcmOperation, claimed: Claimed, plan: CompactionPlan): Promise<void> {
    const { compactionId, apply } = await openPlan(this.#store, claimed, plan);
    await this.#time(operation, apply);
    await takeBack(this.#store, claimed, { compactionId, plan });
  }

  #ingest(): Promise<unknown> {
    return this.#history.importRows(importOf('ingested', talk(this.messagesPerBatch)));
  }

  async #grep(wish: Pick<LcmGrep, 'query' | 'mode'>): Promise<void> {
    const scope = { sessionId: `other-${this.#wish.sessions + 1}` };
    const asked = { messages: true, summaries: true, limit: 20, sort: 'recency' as const, ...wish };
    const found = await this.#store.lcm.grep(scope, asked);
    if (found.kind === 'refused') throw new GatewayError('internal', `a search was refused: ${found.reason}`);
  }
}
