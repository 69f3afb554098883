/** What the local web chat reads: the tables every platform uses. */
import type { LocalChatStore, LocalLine, Part, Role, RowKind } from '@palimpsest/core';
import { type SQL, sql } from 'drizzle-orm';
import { type Database, run, runOne } from './database.ts';

interface LineRecord {
  source: 'message' | 'command' | 'reply';
  id: number;
  role: Role;
  kind: RowKind;
  parts: Part[] | null;
  text: string | null;
  message_id: string | null;
  at: Date;
}

export function createLocalChatStore(db: Database): LocalChatStore {
  return {
    history: (chatId, limit) => history(db, chatId, limit),
    progress: (chatId) => progress(db, chatId),
    repliesAfter: (chatId, afterId) => repliesAfter(db, chatId, afterId),
  };
}

const chatRows = (chatId: string): SQL =>
  sql`SELECT id FROM chats WHERE platform = 'local' AND chat_id = ${chatId}`;

/**
 * The newest `limit` lines, oldest first, over every session the chat ever had: what was said by a person and answered,
 * in or out of the prompt, and what the service told. Copies made by compaction and summaries are no lines; nor is an
 * assistant's row that only calls tools. Order is that of storing.
 */
async function history(db: Database, chatId: string, limit: number): Promise<readonly LocalLine[]> {
  const records = await run<LineRecord>(
    db,
    sql`WITH lines AS (
        (SELECT 'message' AS source, m.id, m.role, m.kind, m.parts, NULL AS text, m.platform_message_id AS message_id, m.sent_at AS at, m.created_at, m.seq
        FROM sessions s JOIN messages m ON m.session_id = s.id
        WHERE s.chat_row_id IN (${chatRows(chatId)}) AND (m.active = 1 OR m.compacted = 1) AND m.replaces IS NULL
          AND m.kind IN ('person', 'assistant', 'notice')
          AND jsonb_path_exists(m.parts, '$[*] ? ((@.type == "text" && @.text != "") || @.type == "payload")')
        ORDER BY m.created_at DESC, m.seq DESC LIMIT ${limit}::int)
        UNION ALL
        (SELECT 'command', b.seq, 'user', 'person', NULL, b.content->'message'->>'text', b.message_id, b.accepted_at,
          b.accepted_at, b.seq
        FROM mailbox b
        WHERE b.chat_row_id IN (${chatRows(chatId)}) AND b.kind = 'command'
        ORDER BY b.accepted_at DESC LIMIT ${limit}::int)
        UNION ALL
        (SELECT 'reply', o.id, 'assistant', 'notice', NULL, o.text, NULL, coalesce(o.finished_at, o.created_at), o.created_at, o.id
        FROM outbox o
        WHERE o.chat_row_id IN (${chatRows(chatId)}) AND o.kind = 'notice' AND o.state IN ('sent', 'unknown')
        ORDER BY o.id DESC LIMIT ${limit}::int)
      )
      SELECT source, id, role, kind, parts, text, message_id, at FROM lines
      ORDER BY created_at DESC, source DESC, seq DESC LIMIT ${limit}::int`,
  );
  const payloads = await payloadTexts(db, records);
  return records.toReversed().map((record) => toLine(record, payloads));
}

/** A text longer than this is shown in part on the page, with what is left out counted. */
const longestShown = 100_000;

/** Texts that are kept beside their row, by id. */
async function payloadTexts(
  db: Database,
  records: readonly LineRecord[],
): Promise<ReadonlyMap<string, string>> {
  const ids = records.flatMap((record) =>
    (record.parts ?? []).flatMap((part) => (part.type === 'payload' ? [part.payloadId] : [])),
  );
  if (ids.length === 0) return new Map();
  const rows = await run<{ id: string; content: Buffer }>(
    db,
    sql`SELECT DISTINCT ON (id) id, substr(content, 1, ${longestShown * 4}::int) AS content FROM payloads
        WHERE id = ANY(${sql.param(ids)}::text[])`,
  );
  return new Map(rows.map((row) => [row.id, row.content.toString('utf8')]));
}

function toLine(record: LineRecord, payloads: ReadonlyMap<string, string>): LocalLine {
  const { source, id, role, kind, at } = record;
  const text = record.text ?? spoken(record.parts ?? [], payloads);
  return { id: `${source}-${id}`, messageId: record.message_id ?? undefined, role, kind, text, at };
}

/** What was said, without what we wrote in front of it for the model. */
function spoken(parts: readonly Part[], payloads: ReadonlyMap<string, string>): string {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type === 'text') texts.push(part.text);
    else if (part.type === 'payload') texts.push(shown(payloads.get(part.payloadId) ?? part.preview));
  }
  return texts.join('\n');
}

function shown(text: string): string {
  if (text.length <= longestShown) return text;
  return `${text.slice(0, longestShown).toWellFormed()}\n[… the rest is kept and not shown here]`;
}

async function progress(
  db: Database,
  chatId: string,
): Promise<{ turnId: string; text: string; note: string } | null> {
  const row = await runOne<{ turn_id: string; text: string | null; note: string | null }>(
    db,
    sql`SELECT t.id AS turn_id, p.text, p.note
      FROM turns t LEFT JOIN turn_progress p ON p.session_id = t.session_id AND p.turn_id = t.id
      WHERE t.state = 'running' AND t.chat_row_id IN (${chatRows(chatId)})
      ORDER BY t.attempted_at DESC LIMIT 1`,
    'local_progress',
  );
  return row === null ? null : { turnId: row.turn_id, text: row.text ?? '', note: row.note ?? '' };
}

/** A reply whose receipt was lost is shown too: locally it is on the page as soon as it is read. */
function repliesAfter(db: Database, chatId: string, afterId: number) {
  return run<{ id: number; text: string; kind: 'final' | 'notice'; at: Date }>(
    db,
    sql`SELECT o.id, o.text, o.kind, coalesce(o.finished_at, o.created_at) AS at FROM outbox o
      WHERE o.chat_row_id IN (${chatRows(chatId)}) AND o.id > ${afterId}::bigint AND o.state IN ('sent', 'unknown')
      ORDER BY o.id`,
    'local_replies',
  );
}
