/** What a run left: on the platforms, as their own records have it, and in the database, read past the service. */
import { queryDatabase } from '@palimpsest/testkit';
import { chats, idOf, type Chat } from './people.ts';
import { marksIn } from './script.ts';
import type { Stage } from './stage.ts';

/** One chat from both sides. */
export interface ChatRecord {
  readonly name: string;
  /** Marks in the order in which the platform took them. */
  readonly said: readonly string[];
  /** Messages of the bot as they can be read now, oldest first. */
  readonly shown: readonly string[];
  /** Marks of the person's rows in the transcript, in its order, over all sessions of the chat. */
  readonly stored: readonly string[];
  /** Final answers in the transcript. */
  readonly answers: readonly string[];
  /** Marks that a turn took which was given up, and said so. */
  readonly givenUp: readonly string[];
  /** Texts of the replies of unknown fate. */
  readonly unknown: readonly string[];
}

export interface RunRecords {
  readonly chats: readonly ChatRecord[];
  /** Sentences: each is a law of the database that is broken. */
  readonly brokenLaws: readonly string[];
  /** What the counterparts refused. */
  readonly refused: readonly string[];
}

/** Read everything; nothing may be under way any more. */
export async function readRecords(
  stage: Stage,
  said: ReadonlyMap<Chat, readonly string[]>,
): Promise<RunRecords> {
  const records: ChatRecord[] = [];
  for (const chat of chats) records.push(await readChat(stage, chat, said.get(chat) ?? []));
  const { telegram, discord, model } = stage;
  return {
    chats: records,
    brokenLaws: await readBrokenLaws(stage.databaseUrl),
    refused: [...telegram.violations, ...discord.violations, ...model.violations],
  };
}

async function readChat(stage: Stage, chat: Chat, said: readonly string[]): Promise<ChatRecord> {
  const id = chatIdOf(stage, chat);
  const rows = await queryDatabase(
    stage.databaseUrl,
    `${familyOfChat}
     SELECT m.kind, m.parts::text AS text, cardinality(m.tool_call_ids) AS calls
     FROM messages m JOIN family f ON f.id = m.session_id
     WHERE m.replaces IS NULL ORDER BY f.created_at, m.seq`,
    [chat.platform, id],
  );
  const unknown = await queryDatabase(
    stage.databaseUrl,
    `SELECT o.text FROM outbox o JOIN chats c ON c.id = o.chat_row_id
     WHERE c.platform = $1 AND c.chat_id = $2 AND o.state = 'unknown'`,
    [chat.platform, id],
  );
  // A rotation takes the turn along to the new session, and leaves the person's own rows with the old one.
  const givenUp = await queryDatabase(
    stage.databaseUrl,
    `${familyOfChat}
     SELECT m.parts::text AS text FROM messages m JOIN family f ON f.id = m.session_id JOIN turns t ON t.id = m.turn_id
     WHERE m.kind = 'person' AND t.state IN ('failed', 'dead')`,
    [chat.platform, id],
  );
  return {
    name: `${chat.platform} ${id}`,
    said,
    shown: shownIn(stage, chat),
    stored: rows.filter((row) => row.kind === 'person').flatMap((row) => marksIn(String(row.text))),
    answers: rows.filter((row) => row.kind === 'assistant' && row.calls === 0).map((row) => String(row.text)),
    givenUp: givenUp.flatMap((row) => marksIn(String(row.text))),
    unknown: unknown.map((row) => String(row.text)),
  };
}

/** Sessions of a chat: the one it points at, and those that were left for it. */
const familyOfChat = `WITH RECURSIVE family AS (
  SELECT s.id, s.parent_session_id, s.created_at FROM sessions s JOIN chats c ON c.session_id = s.id
    WHERE c.platform = $1 AND c.chat_id = $2
  UNION SELECT s.id, s.parent_session_id, s.created_at FROM sessions s JOIN family f ON f.parent_session_id = s.id)`;

function chatIdOf(stage: Stage, chat: Chat): string {
  return chat.platform === 'telegram' ? idOf(chat) : channelOf(stage, chat);
}

/** Direct channel of a person on Discord. */
export function channelOf({ discord }: Pick<Stage, 'discord'>, chat: Chat): string {
  return discord.addDm({ id: idOf(chat), username: `person${chat.index}` }).id;
}

/** What can be read in a chat now. */
export function shownIn(stage: Pick<Stage, 'telegram' | 'discord'>, chat: Chat): string[] {
  if (chat.platform === 'telegram') return stage.telegram.sent(Number(idOf(chat))).map(({ text }) => text);
  return stage.discord.sent(channelOf(stage, chat)).map(({ content }) => content);
}

/** Outcomes of a compaction that changed the session. */
export const applied = `'success', 'deterministic', 'fallback_trim', 'ineffective'`;

/** Each statement finds what must not be; `what` says what a row of it means. */
const laws: readonly (readonly [what: string, sql: string])[] = [
  [
    'two programs wrote one session under one epoch',
    `SELECT session_id, epoch, string_agg(DISTINCT writer, ' ') AS writers FROM chaos_writes
     GROUP BY session_id, epoch HAVING count(DISTINCT writer) > 1`,
  ],
  [
    'a session was written under an epoch that was over',
    `SELECT session_id, epoch, later FROM (
       SELECT session_id, epoch, max(epoch) OVER (PARTITION BY session_id ORDER BY id) AS later FROM chaos_writes) w
     WHERE epoch < later LIMIT 5`,
  ],
  [
    'a row is neither live nor archived',
    `SELECT session_id, id FROM messages WHERE NOT ((active = 1 AND compacted = 0) OR (active = 0 AND compacted = 1))`,
  ],
  [
    'an archived row names no compaction that was applied',
    `SELECT m.session_id, m.id, m.archived_by FROM messages m WHERE m.compacted = 1 AND NOT EXISTS (
       SELECT 1 FROM compactions c WHERE c.id = m.archived_by AND c.outcome IN (${applied}))`,
  ],
  [
    'a ledger row is open though nothing runs',
    `SELECT session_id, id FROM compactions WHERE outcome IS NULL AND started_at < clock_timestamp() - interval '5 minutes'`,
  ],
  [
    'an applied compaction has another number of archived rows than its ledger row says',
    `SELECT c.session_id, c.id, (c.figures->>'rowsArchived')::int AS said, count(m.id)::int AS found
     FROM compactions c LEFT JOIN messages m ON m.archived_by = c.id AND m.compacted = 1
     WHERE c.outcome IN (${applied}) AND c.in_place AND c.undone_by IS NULL GROUP BY c.session_id, c.id, c.figures
     HAVING (c.figures->>'rowsArchived')::int <> count(m.id)`,
  ],
  [
    'an applied compaction has not exactly one event',
    `SELECT c.session_id, c.id, count(e.id)::int AS events FROM compactions c
     LEFT JOIN events e ON e.type = 'session:compress' AND (e.payload->>'compactionId')::bigint = c.id
     WHERE c.outcome IN (${applied}) GROUP BY c.session_id, c.id HAVING count(e.id) <> 1`,
  ],
  [
    'a tool call has no result in the transcript, or a result no call',
    `SELECT session_id, call, count(*)::int AS rows FROM (
       SELECT session_id, unnest(tool_call_ids) AS call FROM messages WHERE replaces IS NULL AND kind = 'assistant'
       UNION ALL SELECT session_id, tool_call_id FROM messages WHERE replaces IS NULL AND kind = 'tool') both_ends
     GROUP BY session_id, call HAVING count(*) <> 2`,
  ],
  [
    'a message is reached from the lossless context not exactly once',
    `WITH RECURSIVE under AS (
       SELECT session_id, summary_id FROM lcm_context_items WHERE active = 1
       UNION ALL
       SELECT u.session_id, s.source_summary_id FROM under u
       JOIN lcm_summary_sources s ON s.session_id = u.session_id AND s.summary_id = u.summary_id
     ), reached AS (
       SELECT e.session_id, e.message_id FROM under u
       JOIN lcm_summary_messages e ON e.session_id = u.session_id AND e.summary_id = u.summary_id
       UNION ALL SELECT session_id, id FROM messages WHERE active = 1)
     SELECT m.session_id, m.id, count(r.message_id)::int AS times
     FROM messages m JOIN sessions s ON s.id = m.session_id AND s.engine = 'lcm'
     LEFT JOIN reached r ON r.session_id = m.session_id AND r.message_id = m.id
     WHERE m.replaces IS NULL AND (m.active = 1 OR m.compacted = 1)
     GROUP BY m.session_id, m.id HAVING count(r.message_id) <> 1`,
  ],
];

/** Sentences, each a law that what is stored breaks. */
export async function readBrokenLaws(databaseUrl: string): Promise<string[]> {
  const found: string[] = [];
  for (const [what, sql] of laws) {
    const rows = await queryDatabase(databaseUrl, sql);
    if (rows.length > 0) found.push(`${what}: ${rows.length} times, first ${JSON.stringify(rows[0])}`);
  }
  return found;
}
