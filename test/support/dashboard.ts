/** The dashboard over real HTTP, on ports that live in memory. */
import { request, type IncomingHttpHeaders } from 'node:http';
import {
  defaultConfig,
  GatewayError,
  silentLogger,
  systemClock,
  type Config,
  type DeniedEntry,
  type HealthFigures,
  type LedgerRow,
  type LocalLine,
  type MessageRow,
  type SessionOverview,
  type StoredUpdate,
  type StoreNotice,
} from '@palimpsest/core';
import {
  createPages,
  startHttp,
  type AccountHealth,
  type PagesDeps,
  type TypedMessage,
} from '@palimpsest/dashboard';

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
  holders = new Map<string, string>();
  figures: HealthFigures = {
    mailboxPending: 0,
    oldestPendingSeconds: 0,
    outboxPending: 0,
    outboxUnknown: 0,
    outboxDead: 0,
    turnsRunning: 0,
    sessions: 0,
  };
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
        ping: () => this.#reach(() => ({ version: '18.4', migrated: this.migrated })),
        sessions: ({ limit, offset }) => this.#reach(() => this.sessions.slice(offset, offset + limit)),
        session: (id) => this.#reach(() => this.sessions.find((session) => session.id === id) ?? null),
        denied: (limit) => this.#reach(() => this.denied.slice(0, limit)),
        figures: () => this.#reach(() => this.figures),
      },
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
        counts: async () => ({ waiting: 0 }),
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

export interface PagesUnderTest extends AsyncDisposable {
  world: FakeWorld;
  url: string;
  port: number;
  /** Host header and Origin of our own pages. */
  origin: string;
  close(): Promise<void>;
}

export interface PagesWish {
  world?: FakeWorld;
  password?: string;
  publicHost?: string;
  port?: number;
  host?: string;
  deps?: Partial<PagesDeps>;
}

export async function startPages(wish: PagesWish = {}): Promise<PagesUnderTest> {
  const world = wish.world ?? new FakeWorld();
  const config: Config = defaultConfig();
  config.server.public_host = wish.publicHost ?? null;
  const password = wish.password ?? null;
  const app = createPages({ ...world.deps(), config, password, ...wish.deps });
  const http = await startHttp({ app, host: wish.host ?? '127.0.0.1', port: wish.port ?? 0, password });
  return {
    world,
    url: http.url,
    port: http.port,
    origin: http.url,
    close: () => http.close(),
    [Symbol.asyncDispose]: () => http.close(),
  };
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json(): Record<string, unknown>;
}

export interface Ask {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** One plain HTTP request; unlike fetch it may set Host and Origin as an attacker's browser would. */
export function ask(url: string, options: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method: options.method ?? 'GET', headers: options.headers }, (response) => {
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (piece: string) => (text += piece));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: () => JSON.parse(text) as Record<string, unknown>,
        }),
      );
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(options.body);
  });
}

export function postMessage(
  pages: PagesUnderTest,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return ask(`${pages.url}/api/chat/main/messages`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: pages.origin, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export interface SeenEvent {
  event: string;
  id: string | null;
  data: unknown;
}

export interface LiveStream extends Disposable {
  /** The next event of that name, in order of arrival; others are passed over. */
  next(event: string): Promise<SeenEvent>;
  /** Resolves when the server ended the stream. */
  ended: Promise<void>;
}

/** Listen to server-sent events. */
export function listen(url: string, headers: Record<string, string>): Promise<LiveStream> {
  return new Promise((resolve, reject) => {
    const call = request(url, { headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`the stream answered ${response.statusCode}`));
      response.setEncoding('utf8');
      const seen: SeenEvent[] = [];
      let wake: () => void = () => {};
      let rest = '';
      response.on('data', (piece: string) => {
        const blocks = (rest + piece).split('\n\n');
        rest = blocks.pop() ?? '';
        seen.push(...blocks.flatMap((block) => readEvent(block)));
        wake();
      });
      const ended = new Promise<void>((done) => response.on('close', done));
      resolve({
        ended,
        async next(event) {
          for (;;) {
            while (seen.length > 0) {
              const first = seen.shift()!;
              if (first.event === event) return first;
            }
            await new Promise<void>((done) => (wake = done));
          }
        },
        [Symbol.dispose]: () => call.destroy(),
      });
    });
    call.on('error', reject);
    call.end();
  });
}

function readEvent(block: string): SeenEvent[] {
  const field = (name: string) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const event = field('event');
  return event
    ? [{ event, id: field('id') ?? null, data: JSON.parse(field('data') ?? 'null') as unknown }]
    : [];
}

export function overview(fields: Partial<SessionOverview> = {}): SessionOverview {
  return {
    id: '0199d3f2-7c1b-7a51-8a38-5d6f00000001',
    title: null,
    platform: 'telegram',
    chatKind: 'direct',
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
    ...fields,
  };
}

export function ledgerRow(fields: Partial<LedgerRow> = {}): LedgerRow {
  return {
    id: 7,
    sessionId: '0199d3f2-7c1b-7a51-8a38-5d6f00000001',
    engine: 'compressor',
    inPlace: true,
    layer: 'hygiene',
    trigger: 'hygiene',
    outcome: 'success',
    reason: 'none',
    windowTokens: 8_000,
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
    ...fields,
  };
}
