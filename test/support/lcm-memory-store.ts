/** The lossless engine's store in memory: refuses what the real one refuses, throws for what it does not play. */
import type {
  LcmBreaker,
  LcmChange,
  LcmDebt,
  LcmDebtEnd,
  LcmDebtRequest,
  LcmExport,
  LcmItem,
  LcmNewSummary,
  LcmProblem,
  LcmState,
  LcmStatus,
  LcmStore,
  LcmSummary,
  LcmTelemetry,
} from '@palimpsest/core';
import type { MemoryTranscript } from './memory-transcript.ts';

type Node = LcmNewSummary & { supersededBy: string | null };

/** What only Postgres can show (search, files, look-ups) has tests there; a test that comes here by mistake fails aloud. */
function notPlayed(): never {
  throw new Error('the store in memory does not play this; use the one on Postgres');
}

export class LcmMemoryStore implements LcmStore {
  readonly transcript: MemoryTranscript;
  readonly nodes = new Map<string, Node>();
  items: { summaryId: string; ordinal: number }[] = [];
  boundarySeq = 0;
  telemetry: LcmTelemetry[] = [];
  debt: LcmDebt | null = null;
  breakers = new Map<string, LcmBreaker>();
  spendAllowed = Infinity;
  spent = 0;
  stopped = 0;
  cleared = 0;
  bodyReads = 0;
  problems: LcmProblem[] = [];
  readonly succeeded: string[] = [];
  readonly #now: () => Date;

  constructor(transcript: MemoryTranscript, now: () => Date) {
    this.transcript = transcript;
    this.#now = now;
  }

  /** What stands in the way of a change of the context, and then the change. */
  change(change: LcmChange): void {
    const live = new Set(this.transcript.rows.map(({ id }) => id));
    for (const node of change.summaries ?? []) this.#add(node, live);
    for (const id of change.removeItems ?? []) {
      if (!this.items.some((item) => item.summaryId === id))
        throw new Error(`plan_outdated: ${id} is no item`);
      this.items = this.items.filter((item) => item.summaryId !== id);
    }
    for (const item of change.addItems ?? []) {
      if (!this.nodes.has(item.summaryId)) throw new Error(`input_invalid: ${item.summaryId} does not exist`);
      if (this.items.some((other) => other.summaryId === item.summaryId || other.ordinal === item.ordinal))
        throw new Error(`input_invalid: two items at ${item.ordinal}`);
      this.items.push(item);
    }
    this.items.sort((a, b) => a.ordinal - b.ordinal);
    this.boundarySeq = change.boundarySeq ?? this.boundarySeq;
    for (const { summaryId, by } of change.supersede ?? []) this.nodes.get(summaryId)!.supersededBy = by;
    if (change.telemetry) this.#keepTelemetry(change.telemetry);
    if (change.debt) this.#owe(change.debt);
    if (change.debtEnd) this.#finish(change.debtEnd.revision, change.debtEnd.end);
  }

  #add(node: LcmNewSummary, live: ReadonlySet<number>): void {
    if (this.nodes.has(node.id)) return;
    const sources = node.sourceIds.map((id) => this.nodes.get(id));
    const isLeaf =
      node.kind === 'leaf' && node.depth === 0 && node.messageIds.length > 0 && sources.length === 0;
    const isCondensed =
      node.kind === 'condensed' &&
      node.messageIds.length === 0 &&
      sources.length > 0 &&
      sources.every((source) => source?.depth === node.depth - 1);
    if (!isLeaf && !isCondensed) throw new Error(`input_invalid: shape of ${node.id}`);
    for (const id of node.messageIds) if (live.has(id)) throw new Error(`input_invalid: row ${id} is live`);
    this.nodes.set(node.id, { ...node, supersededBy: null });
  }

  #keepTelemetry(entry: LcmTelemetry): void {
    const others = this.telemetry.filter(
      (old) => old.provider !== entry.provider || old.model !== entry.model,
    );
    this.telemetry = [...others, entry];
  }

  #owe(request: LcmDebtRequest): void {
    const { dueInMs, ...facts } = request;
    const now = this.#now();
    this.debt = {
      running: false,
      startedAt: null,
      finishedAt: null,
      lastFailure: null,
      retryAttempts: 0,
      nextAttemptAfter: null,
      resolutionReason: null,
      ...this.debt,
      ...facts,
      pending: true,
      requestedAt: now,
      dueAt: new Date(now.getTime() + dueInMs),
      revision: (this.debt?.revision ?? 0) + 1,
    };
  }

  load(): Promise<LcmState> {
    const items = this.items.map(({ summaryId, ordinal }): LcmItem => {
      const {
        content: _text,
        messageIds: _messages,
        sourceIds: _sources,
        ...head
      } = this.nodes.get(summaryId)!;
      return { ...head, ordinal };
    });
    const { boundarySeq, telemetry, debt } = this;
    const breakers = [...this.breakers.values()];
    return Promise.resolve({ items, boundarySeq, telemetry, debt, breakers, spend: null, now: this.#now() });
  }

  summaries(_sessionId: string, ids: readonly string[]): Promise<readonly LcmSummary[]> {
    this.bodyReads += 1;
    return Promise.resolve(ids.flatMap((id) => this.nodes.get(id) ?? []));
  }

  requestDebt(_sessionId: string, request: LcmDebtRequest): Promise<number> {
    this.#owe(request);
    return Promise.resolve(this.debt!.revision);
  }

  startDebt(_sessionId: string, revision: number): Promise<number | null> {
    if (!this.debt?.pending || this.debt.revision !== revision) return Promise.resolve(null);
    this.debt = { ...this.debt, running: true, startedAt: this.#now(), revision: revision + 1 };
    return Promise.resolve(revision + 1);
  }

  finishDebt(_sessionId: string, revision: number, end: LcmDebtEnd): Promise<boolean> {
    return Promise.resolve(this.#finish(revision, end));
  }

  #finish(revision: number, end: LcmDebtEnd): boolean {
    if (!this.debt?.running || this.debt.revision !== revision) return false;
    const ended = { ...this.debt, running: false, revision: revision + 1, currentTokens: end.currentTokens };
    const after = (ms: number): Date => new Date(this.#now().getTime() + ms);
    this.debt =
      end.kind === 'closed'
        ? {
            ...ended,
            pending: false,
            resolutionReason: end.resolutionReason,
            retryAttempts: 0,
            nextAttemptAfter: null,
          }
        : {
            ...ended,
            lastFailure: end.lastFailure,
            retryAttempts: ended.retryAttempts + (end.isFailure ? 1 : 0),
            nextAttemptAfter: end.retryInMs === null ? null : after(end.retryInMs),
            dueAt: after(end.retryInMs ?? 0),
          };
    return true;
  }

  restDebt(): Promise<void> {
    throw new Error('no engine puts a debt off by itself');
  }

  breakerFailed(
    provider: string,
    model: string,
    policy: { threshold: number; cooldownMs: number },
  ): Promise<LcmBreaker> {
    const key = `${provider}/${model}`;
    const failures = (this.breakers.get(key)?.failures ?? 0) + 1;
    const openUntil =
      failures >= policy.threshold ? new Date(this.#now().getTime() + policy.cooldownMs) : null;
    const breaker = { provider, model, failures, openUntil };
    this.breakers.set(key, breaker);
    return Promise.resolve(breaker);
  }

  breakerSucceeded(provider: string, model: string): Promise<void> {
    this.succeeded.push(`${provider}/${model}`);
    this.breakers.delete(`${provider}/${model}`);
    return Promise.resolve();
  }

  spend(_sessionId: string, calls: number): ReturnType<LcmStore['spend']> {
    const allowed = this.spent + calls <= this.spendAllowed;
    if (allowed) this.spent += calls;
    return Promise.resolve({
      allowed,
      spend: { windowStartedAt: this.#now(), calls: this.spent, backoffUntil: null },
    });
  }

  stopSpend(): Promise<void> {
    this.stopped += 1;
    return Promise.resolve();
  }

  clearSpend(): Promise<void> {
    this.cleared += 1;
    return Promise.resolve();
  }

  status(): Promise<LcmStatus> {
    const nodes = [...this.nodes.values()];
    const maxDepth = Math.max(0, ...nodes.map(({ depth }) => depth));
    return Promise.resolve({
      liveMessages: this.transcript.rows.length,
      liveMessageTokens: this.transcript.rows.reduce((sum, { tokens }) => sum + tokens, 0),
      coveredMessages: nodes.reduce((sum, { messageIds }) => sum + messageIds.length, 0),
      items: this.items.length,
      itemTokens: this.items.reduce((sum, { summaryId }) => sum + this.nodes.get(summaryId)!.tokens, 0),
      summariesByDepth: Array.from(
        { length: nodes.length === 0 ? 0 : maxDepth + 1 },
        (_, depth) => nodes.filter((node) => node.depth === depth).length,
      ),
      summaryTokens: nodes.reduce((sum, { tokens }) => sum + tokens, 0),
      maxDepth,
      files: 0,
      fileBytes: 0,
      boundarySeq: this.boundarySeq,
      debt: this.debt,
      recent: [],
    });
  }

  doctor(): Promise<readonly LcmProblem[]> {
    return Promise.resolve(this.problems);
  }

  exportGraph(sessionId: string): Promise<LcmExport> {
    const summaries = [...this.nodes.values()].map((node) => ({ ...node, createdAt: this.#now() }));
    return Promise.resolve({ sessionId, summaries, items: this.items, boundarySeq: this.boundarySeq });
  }

  heads = notPlayed;
  draw = notPlayed;
  writtenBy = notPlayed;
  rowsUnder = notPlayed;
  write = notPlayed;
  dueDebts = notPlayed;
  grep = notPlayed;
  grepFiles = notPlayed;
  describe = notPlayed;
  sourcesOf = notPlayed;
  manifest = notPlayed;
  messageCounts = notPlayed;
  messagesOf = notPlayed;
  message = notPlayed;
  readFile = notPlayed;

  /** No file is stored. */
  file(): Promise<null> {
    return Promise.resolve(null);
  }
}
