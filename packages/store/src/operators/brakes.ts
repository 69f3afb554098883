/** Which sessions rest from automatic compaction or stand over their trigger, and which summary models are switched off. */
import type { Brakes, FullSession, RestingSession } from '@palimpsest/core';
import { type SQL, sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';

const shown = 50;
/** Compactions in a row that did not help: the compressor's breaker opens at the second one. */
const mostStrikes = 2;

const names = sql`s.title, (SELECT c.title FROM chats c WHERE c.id = s.chat_row_id) AS "chatTitle"`;

export async function brakes(db: Database, triggerTokens: number): Promise<Brakes> {
  const [resting, full, models] = await Promise.all([
    restingSessions(db),
    fullSessions(db, triggerTokens),
    run<Brakes['models'][number]>(
      db,
      sql`SELECT provider, model, failures, open_until AS "openUntil" FROM lcm_breaker WHERE failures > 0
        ORDER BY open_until DESC NULLS LAST, provider, model LIMIT ${shown}::int`,
    ),
  ]);
  return {
    resting: resting.rows,
    restingSessions: resting.all,
    full: full.rows,
    fullSessions: full.all,
    models,
  };
}

async function restingSessions(db: Database): Promise<{ rows: RestingSession[]; all: number }> {
  const isOpen = sql`greatest(s.ineffective_streak, s.fallback_streak) >= ${mostStrikes}::int AND (s.probe_at IS NULL OR s.probe_at > now())`;
  return counted<RestingSession>(
    db,
    sql`SELECT s.id AS "sessionId", ${names}, s.platform,
        CASE WHEN ${isOpen} THEN 'open' WHEN s.cooldown_until > now() THEN 'cooldown' WHEN s.hold_rest_until > now() THEN 'hold' ELSE 'spend' END AS state,
        CASE WHEN ${isOpen} THEN NULL WHEN s.cooldown_until > now() THEN s.cooldown_reason WHEN s.hold_rest_until > now() THEN s.hold_rest_reason
          ELSE 'spend_limit' END AS reason,
        CASE WHEN ${isOpen} THEN s.probe_at WHEN s.cooldown_until > now() THEN s.cooldown_until WHEN s.hold_rest_until > now() THEN s.hold_rest_until
          ELSE spend.backoff_until END AS until,
        count(*) OVER ()::int AS "all"
      FROM sessions s LEFT JOIN lcm_spend spend ON spend.session_id = s.id
      WHERE s.closed_at IS NULL AND ((${isOpen}) OR s.cooldown_until > now() OR s.hold_rest_until > now() OR spend.backoff_until > now())
      ORDER BY s.updated_at DESC LIMIT ${shown}::int`,
  );
}

async function fullSessions(
  db: Database,
  triggerTokens: number,
): Promise<{ rows: FullSession[]; all: number }> {
  const ofNewest = sql`(SELECT k.trigger_tokens FROM compactions k WHERE k.session_id = s.id ORDER BY k.id DESC LIMIT 1)`;
  return counted<FullSession>(
    db,
    sql`SELECT full_ones.*, count(*) OVER ()::int AS "all" FROM (
        SELECT s.id AS "sessionId", ${names}, s.platform, s.last_prompt_tokens AS "promptTokens",
          coalesce(${ofNewest}, ${triggerTokens}::int) AS "triggerTokens"
        FROM sessions s WHERE s.closed_at IS NULL AND s.last_prompt_tokens > 0
      ) full_ones WHERE "promptTokens" >= "triggerTokens"
      ORDER BY "promptTokens" DESC, "sessionId" LIMIT ${shown}::int`,
  );
}

async function counted<Row extends object>(db: Database, query: SQL): Promise<{ rows: Row[]; all: number }> {
  const found = await run<Row & { all: number }>(db, query);
  return { rows: found.map(({ all: _all, ...row }) => row as unknown as Row), all: found[0]?.all ?? 0 };
}
