/** What the dashboard's ports hold, in memory. */
import {
  GatewayError,
  silentLogger,
  systemClock,
  type BoardStore,
  type DeniedEntry,
  type HealthFigures,
  type LedgerRow,
  type LocalLine,
  type MessageRow,
  type SessionOverview,
  type Spending,
  type StoredUpdate,
  type StoreNotice,
} from '@palimpsest/core';
import type { AccountHealth, ContextParts, PagesDeps, TypedMessage } from '@palimpsest/dashboard';
import { emptyEngines } from './empty-engines.ts';
import { noActions, notPlayed, quietBoards } from './quiet-boards.ts';

type PageRow = MessageRow & { state: 'live' | 'archived' | 'withdrawn'; archivedBy: number | null };

/** What the store holds; a test fills it, and says with `away` that the database cannot be reached. */
export class FakeWorld {
  away = false;
  migrated = true;
  queueAway = false;
  submitted: TypedMessage[] = [];
  lines: LocalLine[] = [];
  replies: { id: number; text: string; kind: 'final' | 'notice'; at: Date }[] = [];
  progress: { turnId: string; text: string; note: string } | null = null;
  sessions: SessionOverview[] = [];
  ledger: LedgerRow[] = [];
  rows: PageRow[] = [];
  denied: DeniedEntry[] = [];
  accounts: AccountHealth[] = [];
  context: ContextParts | null = null;
  spending: Spending = {
    calls: 0,
    unpricedCalls: 0,
    promptTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    dollars: 0,
  };
  holders = new Map<string, string>();
  figures: HealthFigures = {
    mailboxPending: 0,
    oldestPendingSeconds: 0,
    outboxPending: 0,
    outboxUnknown: 0,
    outboxDead: 0,
    turnsRunning: 0,
    turnsLeft: 0,
    sessions: 0,
  };
  /** What the boards show: a quiet half hour, no trouble. */
  readonly boards: BoardStore = quietBoards((answer) => this.#reach(() => answer));
  readonly #listeners = new Set<(notice: StoreNotice) => void>();

  get listeners(): number {
    return this.#listeners.size;
  }

  tell(notice: StoreNotice): void {
    for (const listener of this.#listeners) listener(notice);
  }

  /** A worker that takes what was typed: the line is in the transcript and a turn runs. */
  claim(turnId = 'turn-1'): void {
    const known = new Set(this.lines.map((line) => line.id));
    for (const message of this.submitted) {
      const id = `message-${message.messageId}`;
      if (message.edits === undefined && !message.text.startsWith('/') && !known.has(id)) {
        this.lines.push({ id, role: 'user', kind: 'person', text: message.text, at: message.sentAt });
      }
    }
    this.write(turnId, '');
  }

  write(turnId: string, text: string, note = ''): void {
    this.progress = { turnId, text, note };
    this.tell({ kind: 'progress', chatRowId: 1, turnId, sessionId: 'session-1' });
  }

  /** The turn ends: answer in the transcript, reply sent. */
  finish(text: string): void {
    const id = this.replies.length + 1;
    this.lines.push({
      id: `message-answer-${id}`,
      role: 'assistant',
      kind: 'assistant',
      text,
      at: new Date(),
    });
    this.replies.push({ id, text, kind: 'final', at: new Date() });
    this.progress = null;
    this.tell({ kind: 'reply', chatRowId: 1, account: 'local-local' });
  }

  notice(text: string): void {
    const id = this.replies.length + 1;
    this.lines.push({ id: `reply-${id}`, role: 'assistant', kind: 'notice', text, at: new Date() });
    this.replies.push({ id, text, kind: 'notice', at: new Date() });
    this.tell({ kind: 'reply', chatRowId: 1, account: 'local-local' });
  }

  deps(): Omit<PagesDeps, 'config' | 'password'> {
    return {
      operators: {
        ping: () =>
          this.#reach(() => ({
            version: '18.4',
            migrated: this.migrated,
            unknownMigrations: 0,
            now: new Date(),
            ctype: 'C.UTF-8',
          })),
        sessions: ({ limit, offset }) => this.#reach(() => this.sessions.slice(offset, offset + limit)),
        session: (id) => this.#reach(() => this.sessions.find((session) => session.id === id) ?? null),
        denied: (limit) => this.#reach(() => this.denied.slice(0, limit)),
        figures: () => this.#reach(() => this.figures),
        requestState: () => this.#reach(() => ({ state: 'gone', answer: null })),
      },
      boards: this.boards,
      actions: noActions,
      hooks: { dead: () => this.#reach(() => []), settleDead: notPlayed },
      erase: { session: notPlayed, noteExport: notPlayed },
      compactions: {
        ledger: ({ sessionId, limit, beforeId }) =>
          this.#reach(() =>
            this.ledger
              .filter(
                (row) =>
                  (sessionId ? row.sessionId === sessionId : true) && (beforeId ? row.id < beforeId : true),
              )
              .slice(0, limit),
          ),
      },
      localChat: {
        history: (_chatId, limit) => this.#reach(() => this.lines.slice(-limit)),
        progress: () => this.#reach(() => this.progress),
        repliesAfter: (_chatId, afterId) =>
          this.#reach(() => this.replies.filter((reply) => reply.id > afterId)),
      },
      transcript: {
        page: (_sessionId, { afterSeq, limit }) =>
          this.#reach(() => this.rows.filter((row) => row.seq > afterSeq).slice(0, limit)),
        liveHeaders: () => this.#reach(() => this.rows.filter((row) => row.state === 'live')),
        bodies: (_sessionId, ids) => this.#reach(() => this.rows.filter((row) => ids.includes(row.id))),
      },
      ...emptyEngines,
      usage: {
        ofSession: () => this.#reach(() => this.spending),
        today: () => this.#reach(() => ({ person: 0, personTurns: 0, installation: 0 })),
      },
      context: {
        read: () => this.#reach(() => this.context),
        preview: async () => null,
        choices: () => ({ engines: ['compressor', 'lcm', 'dcp'], models: ['offline/responder'] }),
        usualTriggerTokens: () => 6_000,
        price: () => null,
      },
      notices: {
        subscribe: async (onNotice) => {
          this.#listeners.add(onNotice);
          return { close: async () => void this.#listeners.delete(onNotice) };
        },
      },
      leases: {
        holder: (name) =>
          this.#reach(() => {
            const owner = this.holders.get(name);
            return owner ? { owner, expiresInMs: 30_000 } : null;
          }),
      },
      queue: {
        backend: 'postgres',
        ping: async () => {
          if (this.queueAway)
            throw new GatewayError('queue_unavailable', 'the queue does not answer', { retryable: true });
        },
        counts: async () => ({ 'turns.waiting': 0 }),
        wake: notPlayed,
        deliver: notPlayed,
        boards: notPlayed,
      },
      listener: { submit: (message) => this.#reach(() => this.#store(message)) },
      meter: { text: async () => 'gateway_sessions 3\n', contentType: 'text/plain; version=0.0.4' },
      health: { accounts: () => this.accounts },
      windowTokens: 8_000,
      modelLabel: 'offline/responder',
      clock: systemClock,
      logger: silentLogger,
      owner: 'me',
    };
  }

  #store(message: TypedMessage): StoredUpdate {
    const updateKey = `${message.chatId}:${message.messageId}`;
    if (this.submitted.some((one) => one.messageId === message.messageId))
      return { updateKey, result: 'duplicate' };
    this.submitted.push(message);
    return { updateKey, result: 'stored', sessionId: 'session-1' };
  }

  async #reach<Result>(read: () => Result): Promise<Result> {
    if (this.away) {
      throw new GatewayError('database_unavailable', 'the database does not answer; start it again', {
        retryable: true,
      });
    }
    return read();
  }
}

export function overview(fields: Partial<SessionOverview> = {}): SessionOverview {
  return {
    id: '0199d3f2-7c1b-7a51-8a38-5d6f00000001',
    title: null,
    platform: 'telegram',
    chatKind: 'direct',
    chatId: '12345',
    chatTitle: 'Ann',
    engine: 'compressor',
    model: 'offline/responder',
    lastPromptTokens: 2_000,
    liveRows: 24,
    archivedRows: 310,
    liveTokens: 1_900,
    compactions: 3,
    pending: 0,
    running: false,
    lastActivityAt: new Date('2026-05-01T10:00:00Z'),
    endedAt: null,
    dollars: 0.25,
    ...fields,
  };
}

export function ledgerRow(fields: Partial<LedgerRow> = {}): LedgerRow {
  return {
    id: 7,
    sessionId: '0199d3f2-7c1b-7a51-8a38-5d6f00000001',
    engine: 'compressor',
    epochBefore: 4,
    epochAfter: 4,
    inPlace: true,
    layer: 'hygiene',
    trigger: 'hygiene',
    outcome: 'success',
    reason: 'none',
    strategy: 'full',
    windowTokens: 8_000,
    windowSource: 'config',
    thresholdRaw: 0.75,
    triggerTokens: 6_000,
    mainModel: 'offline/responder',
    summaryModel: 'offline/responder',
    startedAt: new Date('2026-05-01T09:59:00Z'),
    finishedAt: new Date('2026-05-01T09:59:01Z'),
    durationMs: 1_234,
    figures: {
      tokensBefore: 6_900,
      tokensBeforeSource: 'api',
      tokensAfter: 2_100,
      rowsBefore: 120,
      rowsAfter: 25,
      rowsArchived: 96,
      rowsProtected: 24,
      rowsDroppedWithoutSummary: 0,
      toolResultsPruned: 0,
      summaryTokens: 700,
      summaryCalls: 1,
      summaryInputTokens: 5_000,
      summaryOutputTokens: 700,
      escalation: 'normal',
    },
    tokensAfterConfirmed: 2_150,
    cacheShareBefore: 0.9,
    cacheShareAfter: 0.1,
    messagesDeferred: 0,
    archivedSeqs: { first: 1_024, last: 98_304 },
    previousSummaryId: null,
    writtenRows: [97],
    userNotified: false,
    ...fields,
  };
}
