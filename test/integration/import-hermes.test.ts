/** Conversations out of a Hermes `state.db` become chats. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../apps/cli/src/run-command-line.ts';
import { openStoreWorld } from '../support/store-world.ts';
import { sharedPath } from '../support/shared.ts';

let folder = '';
let out = '';
let said = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-hermes-'));
  out = '';
  said = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((out += String(text))));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((said += String(text))));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

interface HermesRow {
  session: string;
  role: string;
  content: string | null;
  timestamp: number;
  tool_calls?: unknown[];
  tool_call_id?: string;
  tool_name?: string;
  active?: 0 | 1;
  compacted?: 0 | 1;
  display_kind?: string;
}

/** A state.db as Hermes writes it, so far as an import reads it. */
function writeStateDb(
  rows: readonly HermesRow[],
  sessions: readonly { id: string; parent?: string; end?: string; title?: string }[],
): string {
  const path = join(folder, 'state.db');
  const database = new DatabaseSync(path);
  database.exec(`
    CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, user_id TEXT, model TEXT, parent_session_id TEXT,
      started_at REAL, ended_at REAL, end_reason TEXT, title TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
      content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER,
      finish_reason TEXT, reasoning TEXT, active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0,
      display_kind TEXT);`);
  const session = database.prepare(
    'INSERT INTO sessions (id, source, parent_session_id, end_reason, title) VALUES (?, ?, ?, ?, ?)',
  );
  for (const { id, parent, end, title } of sessions)
    session.run(id, 'telegram', parent ?? null, end ?? null, title ?? null);
  const message = database.prepare(
    `INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, active, compacted, display_kind)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const row of rows)
    message.run(
      row.session,
      row.role,
      row.content,
      row.tool_call_id ?? null,
      row.tool_calls ? JSON.stringify(row.tool_calls) : null,
      row.tool_name ?? null,
      row.timestamp,
      row.active ?? 1,
      row.compacted ?? 0,
      row.display_kind ?? null,
    );
  database.close();
  return path;
}

const archived = { active: 0, compacted: 1 } as const;

/** What the chats say afterwards. */
async function importInto(args: readonly string[]) {
  await using world = await openStoreWorld();
  const context = { env: { DATABASE_URL: world.url }, folder };
  const code = await runCommandLine(context, ['import', 'state.db', '--json', ...args]);
  const chats = await world.query<{
    chat: string;
    role: string;
    parts: { type: string; text?: string }[];
    at: Date;
  }>(
    `SELECT c.chat_id AS chat, m.role, m.parts, m.sent_at AS at FROM messages m
     JOIN sessions s ON s.id = m.session_id JOIN chats c ON c.id = s.chat_row_id ORDER BY c.chat_id, m.seq`,
  );
  const acts = await world.query('SELECT actor, via, act, target FROM operator_actions ORDER BY id');
  return { code, chats, acts };
}

const textsOf = (rows: readonly { role: string; parts: { type: string; text?: string }[] }[]) =>
  rows.map(({ role, parts }) => `${role}: ${parts.map(({ type, text }) => text ?? type).join(' | ')}`);

describe('a state.db of Hermes', () => {
  test('archived rows come back in order and once; what was taken back and summaries do not', async () => {
    writeStateDb(
      [
        { session: 'a', role: 'system', content: 'Be kind.', timestamp: 1_700_000_000 },
        {
          session: 'a',
          role: 'user',
          content: 'where do kingfishers nest?',
          timestamp: 1_700_000_001,
          ...archived,
        },
        {
          session: 'a',
          role: 'assistant',
          content: null,
          timestamp: 1_700_000_002,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"q":"nest"}' } }],
          ...archived,
        },
        {
          session: 'a',
          role: 'tool',
          content: 'in banks',
          tool_call_id: 'c1',
          tool_name: 'look',
          timestamp: 1_700_000_003,
          ...archived,
        },
        {
          session: 'a',
          role: 'assistant',
          content: 'In river banks.',
          timestamp: 1_700_000_004.5,
          ...archived,
        },
        { session: 'a', role: 'user', content: 'typo', timestamp: 1_700_000_005, active: 0, compacted: 0 },
        { session: 'a', role: 'user', content: 'thanks', timestamp: 1_700_000_006, ...archived },
        {
          session: 'a',
          role: 'user',
          content: '[CONTEXT COMPACTION] Earlier turns were compacted …',
          timestamp: 1_700_000_007,
          display_kind: 'hidden',
        },
        // The tail is written anew behind the summary.
        { session: 'a', role: 'user', content: 'thanks', timestamp: 1_700_000_006 },
        { session: 'a', role: 'assistant', content: 'You are welcome.', timestamp: 1_700_000_008 },
      ],
      [{ id: 'a', title: 'birds' }],
    );

    const { code, chats, acts } = await importInto(['--chat', 'birds']);

    expect(code).toBeNull();
    expect(textsOf(chats)).toEqual([
      'user: where do kingfishers nest?',
      'assistant: tool_call',
      'tool: in banks',
      'assistant: In river banks.',
      'user: thanks',
      'assistant: You are welcome.',
    ]);
    expect(chats[0]?.at.toISOString()).toBe('2023-11-14T22:13:21.000Z');
    expect(chats[3]?.at.toISOString()).toBe('2023-11-14T22:13:24.500Z');
    expect(JSON.parse(out)).toMatchObject({ chatId: 'birds', messages: 6, skipped: 3 });
    expect(acts).toEqual([{ actor: userInfo().username, via: 'cli', act: 'import', target: '6 messages' }]);
  });

  test('sessions that compactions rotated are one conversation; one that another merely started is its own', async () => {
    writeStateDb(
      [
        { session: 'old', role: 'user', content: 'first', timestamp: 1 },
        { session: 'old', role: 'assistant', content: 'second', timestamp: 2 },
        { session: 'new', role: 'user', content: '[CONTEXT COMPACTION] Earlier turns …', timestamp: 3 },
        { session: 'new', role: 'assistant', content: 'second', timestamp: 2 },
        { session: 'new', role: 'user', content: 'third', timestamp: 4 },
        { session: 'helper', role: 'user', content: 'a task', timestamp: 5 },
      ],
      [
        { id: 'old', end: 'compression' },
        { id: 'new', parent: 'old', title: 'talk #2' },
        { id: 'helper', parent: 'new' },
      ],
    );

    const unnamed = await importInto([]);
    const told = said;
    const all = await importInto(['--all']);
    const one = await importInto(['--session', 'old', '--chat', 'talk']);

    expect(unnamed.code).toBe(1);
    expect(told).toBe(
      'state.db holds 2 conversations; name one with --session, or take --all. The newest:\n' +
        '  helper  1 messages  telegram\n  new  3 messages  telegram  talk #2\n',
    );
    expect(unnamed.chats).toEqual([]);
    expect(all.chats.map(({ chat, parts: [part] }) => `${chat}: ${part?.text}`)).toEqual([
      'helper: a task',
      'new: first',
      'new: second',
      'new: third',
    ]);
    expect(textsOf(one.chats)).toEqual(['user: first', 'assistant: second', 'user: third']);
  });

  test.each([
    [
      'CREATE TABLE notes (id INTEGER)',
      'state.db is no state.db of Hermes that can be read: it has no table messages; needed are messages(id, session_id, role, content, timestamp). Nothing was imported.\n',
    ],
    [
      'CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, body TEXT)',
      'state.db is no state.db of Hermes that can be read: it has no column content, timestamp in messages; needed are messages(id, session_id, role, content, timestamp). Nothing was imported.\n',
    ],
  ])('another database (%s) is refused with what is missing', async (statement, words) => {
    const database = new DatabaseSync(join(folder, 'state.db'));
    database.exec(statement);
    database.close();

    const { code } = await importInto([]);

    expect(code).toBe(1);
    expect(said).toBe(words);
    expect(JSON.parse(out)).toEqual({ error: { code: 'input_invalid', message: words.trimEnd() } });
  });

  test('a file that only begins like SQLite is refused in words', async () => {
    writeFileSync(join(folder, 'state.db'), 'SQLite format 3\u0000 and then nothing of it');

    const { code } = await importInto([]);

    expect(code).toBe(1);
    expect(said).toBe(
      'state.db cannot be read as SQLite; end Hermes first, so that the file is whole. Nothing was imported.\n',
    );
  });

  const recording = sharedPath('transcripts');

  test.skipIf(recording.missing)(
    'a recorded conversation of hundreds of messages goes in and comes out word for word',
    async () => {
      const lines = readFileSync(join(recording.path, 'chat/locomo-conv-26.jsonl'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { role: string; content: string; ts: string });
      const rows = lines.map(({ role, content, ts }, index) => ({
        session: 'a',
        role,
        content,
        timestamp: Date.parse(ts) / 1000,
        ...(index < lines.length / 2 ? archived : {}),
      }));
      writeStateDb(rows, [{ id: 'a' }]);

      const { chats } = await importInto([]);

      const spoken = lines.filter(({ role }) => role !== 'system');
      expect(spoken.length).toBeGreaterThan(300);
      expect(chats.map(({ parts: [part] }) => part?.text)).toEqual(spoken.map(({ content }) => content));
      expect(chats.map(({ at }) => at.getTime())).toEqual(spoken.map(({ ts }) => Date.parse(ts)));
    },
  );
});
