/** The store's parts on a database of their own, and short ways to put sessions and rows into it. */
import {
  silentLogger,
  type ChatTarget,
  type Lease,
  type MessageRow,
  type NewRow,
  type Platform,
} from '@palimpsest/core';
import pg from 'pg';
import { createCompactionStore } from '../../packages/store/src/compactions/create-compaction-store.ts';
import { createSession } from '../../packages/store/src/create-session.ts';
import { openDatabase, transaction } from '../../packages/store/src/database.ts';
import { createLocalChatStore } from '../../packages/store/src/local-chat-store.ts';
import { createOperatorStore } from '../../packages/store/src/operators/create-operator-store.ts';
import { createOutboxStore } from '../../packages/store/src/outbox/create-outbox-store.ts';
import { appendRows } from '../../packages/store/src/transcript/append-rows.ts';
import { LiveViews } from '../../packages/store/src/transcript/live-view.ts';
import { createTranscriptStore } from '../../packages/store/src/transcript/transcript-store.ts';
import { claim } from '../../packages/store/src/turns/claim.ts';
import { withLease } from '../../packages/store/src/with-lease.ts';
import { writeReplies } from '../../packages/store/src/write-replies.ts';
import { createTestDatabase } from './database.ts';

export interface SessionWish {
  platform?: Platform;
  account?: string;
  chatId?: string;
  kind?: 'direct' | 'group';
  /** Direct chats: whom it is with. */
  userId?: string;
}

export interface TestSession {
  sessionId: string;
  lease: Lease;
  chat: ChatTarget;
}

export type StoreWorld = Awaited<ReturnType<typeof openStoreWorld>>;

/** On a database of its own, or beside whoever else works on that one. */
export async function openStoreWorld(shared?: { url: string }) {
  const database = shared
    ? { url: shared.url, [Symbol.asyncDispose]: async () => {} }
    : await createTestDatabase();
  const db = openDatabase({ databaseUrl: database.url, logger: silentLogger, poolSize: 4 });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  let made = 0;

  /** Rows of a query as Postgres gives them; counts and ids are text. */
  async function query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await client.query<Row>(text, values)).rows;
  }

  /** A chat with a claimed session. */
  async function newSession(wish: SessionWish = {}): Promise<TestSession> {
    made += 1;
    const {
      platform = 'telegram',
      account = '77',
      chatId = `chat-${made}`,
      kind = 'direct',
      userId = null,
    } = wish;
    const [row] = await query<{ id: string }>(
      `INSERT INTO chats (platform, account, chat_id, kind, user_id, title) VALUES ($1, $2, $3, $4, $5, 'a place')
       ON CONFLICT (platform, account, chat_id, thread_id) DO UPDATE SET kind = excluded.kind RETURNING id`,
      [platform, account, chatId, kind, userId],
    );
    const chatRowId = Number(row?.id);
    const accountRef = { platform, id: account };
    const wanted = { engine: 'compressor', model: null, account: accountRef, chatKind: kind, chatRowId };
    const sessionId = await transaction(db, (tx) => createSession(tx, wanted));
    await query('UPDATE chats SET session_id = $1 WHERE id = $2', [sessionId, chatRowId]);
    const lease = await take(sessionId, 'worker-1');
    return {
      sessionId,
      lease,
      chat: { chatRowId, account: accountRef, place: { chatId, threadId: '', kind, title: 'a place' } },
    };
  }

  async function take(sessionId: string, owner: string): Promise<Lease> {
    const result = await claim(db, { sessionId, owner, leaseMs: 60_000 });
    if (result.kind !== 'claimed') throw new Error(`session ${sessionId} is ${result.kind}`);
    return result.lease;
  }

  /** The session's lease ran out; nobody took it over yet. */
  const expire = (sessionId: string) =>
    query(`UPDATE sessions SET lease_until = now() - interval '1 s' WHERE id = $1`, [sessionId]);

  /** Append rows as one step of a turn. */
  function append(lease: Lease, rows: readonly NewRow[]): Promise<readonly MessageRow[]> {
    made += 1;
    const turnId = `turn-${made}`;
    return withLease(db, lease, (tx) =>
      appendRows(tx, { sessionId: lease.sessionId, turnId, step: 1 }, rows),
    );
  }

  /** A reply in the outbox; its id. */
  async function addReply(
    session: TestSession,
    text: string,
    kind: 'final' | 'notice' = 'final',
  ): Promise<number> {
    made += 1;
    const reply = { key: `reply-${made}`, chat: session.chat, kind, text };
    await transaction(db, (tx) => writeReplies(tx, session.sessionId, [reply]));
    const [row] = await query<{ id: string }>('SELECT id FROM outbox WHERE session_id = $1 AND key = $2', [
      session.sessionId,
      reply.key,
    ]);
    return Number(row?.id);
  }

  return {
    url: database.url,
    db,
    compactions: createCompactionStore(db),
    outbox: createOutboxStore(db),
    operators: createOperatorStore(db),
    localChat: createLocalChatStore(db),
    transcript: createTranscriptStore(db, new LiveViews()),
    query,
    newSession,
    take,
    expire,
    append,
    addReply,
    async [Symbol.asyncDispose]() {
      await client.end();
      await db.$client.end();
      await database[Symbol.asyncDispose]();
    },
  };
}

export function personRow(text: string): NewRow {
  return {
    role: 'user',
    kind: 'person',
    parts: [{ type: 'text', text }],
    tokens: 10,
    sender: { id: '5', name: 'Ada' },
  };
}

export function assistantRow(text: string): NewRow {
  return { role: 'assistant', kind: 'assistant', parts: [{ type: 'text', text }], tokens: 20 };
}

/** Texts of rows, for short expectations. */
export function textsOf(rows: readonly MessageRow[]): string[] {
  return rows.map((row) =>
    row.parts.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join(''),
  );
}
