/** sessions as operators see them. Row counts are made for the rows of one page only, each from an index of its session. */
import { cleanText, type OperatorStore, type Platform, type SessionOverview } from '@palimpsest/core';
import { type SQL, sql } from 'drizzle-orm';
import { type Database, run, runOne } from '../database.ts';

interface OverviewRecord {
  id: string;
  title: string | null;
  platform: Platform;
  chat_kind: SessionOverview['chatKind'];
  chat_id: string | null;
  chat_title: string | null;
  engine: string;
  model: string | null;
  last_prompt_tokens: number;
  live_rows: number;
  archived_rows: number;
  live_tokens: number;
  compaction_count: number;
  pending: number;
  running: boolean;
  updated_at: Date;
  closed_at: Date | null;
  dollars: number;
}

/** One page: newest activity, fullest context or highest cost first; with words, only sessions that they name. */
export async function sessionOverviews(
  db: Database,
  options: Parameters<OperatorStore['sessions']>[0],
): Promise<readonly SessionOverview[]> {
  const order = orders[options.order];
  const words = options.search?.trim() ?? '';
  const wanted = words === '' ? sql`true` : namedBy(words, options.blindToTitles);
  const page = sql`SELECT s.id, ${options.order === 'cost' ? sql`spent.microdollars` : sql`0`} AS spent FROM sessions s
    ${words === '' ? sql`` : sql`LEFT JOIN chats c ON c.id = s.chat_row_id`}
    ${options.order === 'cost' ? spentOfAll : sql``}
    WHERE ${wanted} ORDER BY ${order} LIMIT ${options.limit}::int OFFSET ${options.offset}::int`;
  const again = options.order === 'cost' ? sql`page.spent DESC NULLS LAST, s.updated_at DESC, s.id` : order;
  const records = await run<OverviewRecord>(db, sql`${overviewOf(page)} ORDER BY ${again}`);
  return records.map(toOverview);
}

const orders: Readonly<Record<Parameters<OperatorStore['sessions']>[0]['order'], SQL>> = {
  activity: sql`s.updated_at DESC, s.id`,
  context: sql`s.last_prompt_tokens DESC, s.updated_at DESC, s.id`,
  cost: sql`spent.microdollars DESC NULLS LAST, s.updated_at DESC, s.id`,
};

const spentOfAll = sql`LEFT JOIN (SELECT u.session_id, sum(u.microdollars)::float8 AS microdollars FROM usage_days u
    WHERE u.microdollars > 0 GROUP BY 1) spent ON spent.session_id = s.id`;

/** By title, by its chat's title or id, or by the beginning or end of its own id. */
function namedBy(words: string, blindToTitles = false): SQL {
  const literal = cleanText(words).replaceAll(/[\\%_]/g, '\\$&');
  const inside = `%${literal}%`;
  const titled = blindToTitles ? sql`false` : sql`s.title ILIKE ${inside}`;
  return sql`(${titled} OR c.title ILIKE ${inside} OR c.chat_id = ${cleanText(words)}
    OR s.id ILIKE ${`${literal}%`} OR s.id ILIKE ${`%${literal}`})`;
}

export async function sessionOverview(db: Database, sessionId: string): Promise<SessionOverview | null> {
  const record = await runOne<OverviewRecord>(db, overviewOf(sql`SELECT ${sessionId}::text AS id`));
  return record === null ? null : toOverview(record);
}

const overviewOf = (ids: SQL): SQL => sql`
  SELECT s.id, s.title, s.platform, s.chat_kind, chat.chat_id, chat.title AS chat_title, s.engine, s.model, s.last_prompt_tokens,
    s.compaction_count, s.updated_at, s.closed_at, live.live_rows, live.live_tokens, archived.archived_rows, waiting.pending,
    spending.dollars,
    coalesce(s.lease_until > now(), false)
      AND EXISTS (SELECT 1 FROM turns t WHERE t.session_id = s.id AND t.state = 'running') AS running
  FROM (${ids}) page JOIN sessions s ON s.id = page.id
  LEFT JOIN chats chat ON chat.id = s.chat_row_id
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS live_rows, coalesce(sum(m.tokens), 0)::int AS live_tokens
    FROM messages m WHERE m.session_id = s.id AND m.active = 1
  ) live
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS archived_rows FROM messages m WHERE m.session_id = s.id AND m.archived_by IS NOT NULL AND m.active = 0
  ) archived
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS pending FROM mailbox b
    WHERE b.session_id = s.id AND b.state IN ('pending', 'claimed') AND b.state = 'pending' AND b.kind <> 'edit'
  ) waiting
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(u.microdollars), 0)::float8 / 1e6 AS dollars FROM usage_days u WHERE u.session_id = s.id
  ) spending`;

function toOverview(record: OverviewRecord): SessionOverview {
  return {
    id: record.id,
    title: record.title,
    platform: record.platform,
    chatKind: record.chat_kind,
    chatId: record.chat_id ?? '',
    chatTitle: record.chat_title,
    engine: record.engine,
    model: record.model,
    lastPromptTokens: record.last_prompt_tokens,
    liveRows: record.live_rows,
    archivedRows: record.archived_rows,
    liveTokens: record.live_tokens,
    compactions: record.compaction_count,
    pending: record.pending,
    running: record.running,
    lastActivityAt: record.updated_at,
    endedAt: record.closed_at,
    dollars: record.dollars,
  };
}
