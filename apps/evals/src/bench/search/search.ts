/** How long one `session_search` takes where others have said much, in the same words. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sessionSearch } from '@palimpsest/agent';
import { GatewayError, silentLogger, type Session, type Store } from '@palimpsest/core';
import { migrate, openHistory, openStore } from '@palimpsest/store';
import { createScratchDatabase, fillSessions, queryDatabase } from '@palimpsest/testkit';
import { type Conversation, questionsBeside, readConversation } from '../../recall/conversation.ts';
import type { BenchInput } from '../bench-input.ts';
import { quantiles, type Figures } from '../figures.ts';
import { timeOf } from '../time-of.ts';

const rowsPerSession = 200;
const defaultRows = 1_000_000;
/** Of one's own conversation, the newest rows are still in the prompt. */
const liveRows = 20;
const warmUpSearches = 50;

/** A session, and what is asked in it. */
interface Archive {
  sessionId: string;
  rows: number;
  questions: readonly string[];
}

interface Ground {
  store: Store;
  /** Each conversation by itself; behind them all of them in one session. */
  archives: readonly Archive[];
}

/**
 * The recorded conversations, each one person's archive, their questions as queries, and `rows` (1,000,000) of other sessions,
 * whose rows hold the same words as often. `long_archive`: the same with all the conversations in one session.
 */
export async function benchSearch(input: BenchInput): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  const rows = input.sizes.rows || defaultRows;
  const { store, archives } = await openGround(stack, input, rows);
  const long = archives.at(-1)!;
  const each = archives.slice(0, -1);
  input.progress('search: measuring …');
  const own = await timesOf(store, each, input);
  const inLong = await timesOf(store, [long], input);
  return {
    rows_of_others: Math.ceil(rows / rowsPerSession) * rowsPerSession,
    own_rows_most: Math.max(...each.map((one) => one.rows)),
    searches: own.length,
    ...quantiles('session_search', own, [0.5, 0.95, 0.99]),
    long_archive_rows: long.rows,
    ...quantiles('long_archive', inLong, [0.5, 0.95, 0.99]),
  };
}

/** Milliseconds of each search, questions of all archives mixed; the first ones are not counted. */
async function timesOf(store: Store, archives: readonly Archive[], input: BenchInput): Promise<number[]> {
  const asked = archives.flatMap(({ sessionId, questions }) =>
    questions.map((query) => ({ sessionId, query })),
  );
  const sessions = new Map<string, Session>();
  for (const { sessionId } of archives) sessions.set(sessionId, (await store.turns.session(sessionId))!);
  const tool = sessionSearch(store.transcript, 'UTC');
  const every = Math.max(1, Math.floor(asked.length / input.sizes.searches));
  const chosen = asked.filter((_, index) => index % every === 0).slice(0, input.sizes.searches);
  const timesMs: number[] = [];
  for (const { sessionId, query } of [...asked.slice(-warmUpSearches), ...chosen]) {
    if (input.signal.aborted) break;
    const session = sessions.get(sessionId)!;
    const scope = { session, turnId: 'bench', senderIds: [], signal: input.signal, callId: 'bench' };
    timesMs.push(
      await timeOf(async () => {
        const { text, isError } = await tool.run({ query }, scope);
        if (isError) throw new GatewayError('internal', `session_search answered ${text}`);
      }),
    );
  }
  return timesMs.slice(-chosen.length);
}

async function openGround(stack: AsyncDisposableStack, input: BenchInput, rows: number): Promise<Ground> {
  const database = stack.use(await createScratchDatabase(await input.services.databaseUrl(), 'bench'));
  await migrate(database.url);
  const conversations = chatFiles(input.folder).map((file) => readConversation(file, questionsBeside(file)));
  const archives: Archive[] = [];
  for (const [index, one] of conversations.entries())
    archives.push(await importArchive(database.url, `bench-${index}`, [one]));
  const long = await importArchive(database.url, 'bench-long', conversations);
  const sessions = Math.ceil(rows / rowsPerSession);
  input.progress(`search: filling ${sessions} sessions with ${sessions * rowsPerSession} rows …`);
  await fillSessions(database.url, { after: 0, sessions, rows: rowsPerSession, wordsOf: long.sessionId });
  const store = await openStore({ databaseUrl: database.url, logger: silentLogger, poolSize: 2 });
  stack.defer(() => store.close());
  return { store, archives: [...archives, long] };
}

/** Conversations as one session of a person of its own, archived but for the end. */
async function importArchive(
  databaseUrl: string,
  person: string,
  conversations: readonly Conversation[],
): Promise<Archive> {
  const rows = conversations.flatMap(({ exchanges }) => exchanges.flat());
  const history = openHistory({ databaseUrl, logger: silentLogger });
  try {
    const sessionId = await history.importRows({
      account: { platform: 'local', id: 'local' },
      place: { chatId: person, threadId: '', kind: 'direct' },
      sender: { id: person, name: person, isBot: false },
      engine: 'compressor',
      rows,
    });
    await queryDatabase(
      databaseUrl,
      `UPDATE messages SET active = 0, compacted = 1, archived_by = 1 WHERE session_id = $1 AND seq <= $2`,
      [sessionId, 1024 * (rows.length - liveRows)],
    );
    const questions = conversations.flatMap((one) => one.questions.map(({ question }) => question));
    return { sessionId, rows: rows.length, questions };
  } finally {
    await history.close();
  }
}

function chatFiles(folder: string): string[] {
  const place = resolve(folder, '../shared/transcripts/chat');
  if (!existsSync(place))
    throw new GatewayError(
      'input_invalid',
      `${place} is missing; the recorded conversations are looked for there`,
    );
  return readdirSync(place)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(place, name));
}
