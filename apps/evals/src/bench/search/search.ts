/** How long one `session_search` takes where others have said much, in the same words. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sessionSearch } from '@palimpsest/agent';
import { GatewayError, silentLogger, type Session, type TranscriptStore } from '@palimpsest/core';
import { migrate, openHistory, openStore } from '@palimpsest/store';
import { createScratchDatabase, fillSessions, queryDatabase } from '@palimpsest/testkit';
import { questionsBeside, readConversation } from '../../recall/conversation.ts';
import type { BenchInput } from '../bench-input.ts';
import { quantiles, type Figures } from '../figures.ts';
import { timeOf } from '../time-of.ts';

const rowsPerSession = 200;
const defaultRows = 1_000_000;
/** Of one's own conversation, the newest rows are still in the prompt. */
const liveRows = 20;
const warmUpSearches = 50;

interface Ground {
  transcript: TranscriptStore;
  session: Session;
  ownRows: number;
  questions: readonly string[];
}

/**
 * The recorded conversations as one person's archive, their questions as queries, and `rows` (1,000,000) of other sessions,
 * whose rows hold the same words as often.
 */
export async function benchSearch(input: BenchInput): Promise<Figures> {
  await using stack = new AsyncDisposableStack();
  const rows = input.sizes.rows || defaultRows;
  const ground = await openGround(stack, input, rows);
  input.progress('search: measuring …');
  for (const question of ground.questions.slice(-warmUpSearches))
    await search(ground, question, input.signal);
  const timesMs: number[] = [];
  for (const question of ground.questions.slice(0, input.sizes.searches)) {
    if (input.signal.aborted) break;
    timesMs.push(await timeOf(() => search(ground, question, input.signal)));
  }
  return {
    rows_of_others: Math.ceil(rows / rowsPerSession) * rowsPerSession,
    own_rows: ground.ownRows,
    searches: timesMs.length,
    ...quantiles('session_search', timesMs, [0.5, 0.95, 0.99]),
  };
}

async function search({ transcript, session }: Ground, query: string, signal: AbortSignal): Promise<void> {
  const tool = sessionSearch(transcript, 'UTC');
  const { text, isError } = await tool.run(
    { query },
    { session, turnId: 'bench', senderIds: [], signal, callId: 'bench' },
  );
  if (isError) throw new GatewayError('internal', `session_search answered ${text}`);
}

async function openGround(stack: AsyncDisposableStack, input: BenchInput, rows: number): Promise<Ground> {
  const database = stack.use(await createScratchDatabase(await input.services.databaseUrl(), 'bench'));
  await migrate(database.url);
  const own = await importConversations(database.url, input.folder);
  const sessions = Math.ceil(rows / rowsPerSession);
  input.progress(`search: filling ${sessions} sessions with ${sessions * rowsPerSession} rows …`);
  await fillSessions(database.url, { after: 0, sessions, rows: rowsPerSession, wordsOf: own.sessionId });
  const store = await openStore({ databaseUrl: database.url, logger: silentLogger, poolSize: 2 });
  stack.defer(() => store.close());
  const session = (await store.turns.session(own.sessionId))!;
  return { transcript: store.transcript, session, ...own };
}

/** All conversations as one session, archived but for its end. */
async function importConversations(
  databaseUrl: string,
  folder: string,
): Promise<{ sessionId: string; ownRows: number; questions: readonly string[] }> {
  const conversations = chatFiles(folder).map((file) => readConversation(file, questionsBeside(file)));
  const rows = conversations.flatMap(({ exchanges }) => exchanges.flat());
  const history = openHistory({ databaseUrl, logger: silentLogger });
  try {
    const sessionId = await history.importRows({
      account: { platform: 'local', id: 'local' },
      place: { chatId: 'bench', threadId: '', kind: 'direct' },
      sender: { id: 'person', name: 'person', isBot: false },
      engine: 'compressor',
      rows,
    });
    await queryDatabase(
      databaseUrl,
      `UPDATE messages SET active = 0, compacted = 1, archived_by = 1 WHERE session_id = $1 AND seq <= $2`,
      [sessionId, 1024 * (rows.length - liveRows)],
    );
    const questions = conversations.flatMap((one) => one.questions.map(({ question }) => question));
    return { sessionId, ownRows: rows.length, questions };
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
