/** What model calls cost, added up. */
import type { Spending, SummaryCost, UsageOfToday, UsageStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne } from '../database.ts';
import { lastTurn } from './last-turn.ts';

const microdollarsPerDollar = 1_000_000;

export function createUsageStore(db: Database): UsageStore {
  return {
    addSummary: (cost) => addSummary(db, cost),
    ofSession: (sessionId) => ofSession(db, sessionId),
    lastTurn: (sessionId) => lastTurn(db, sessionId),
    today: (sender) => today(db, sender),
  };
}

async function addSummary(db: Database, cost: SummaryCost): Promise<void> {
  const microdollars = Math.round((cost.dollars ?? 0) * microdollarsPerDollar);
  await run(
    db,
    sql`INSERT INTO usage_days AS day (session_id, day, person_id, model, calls, unpriced_calls, prompt_tokens,
                                       output_tokens, microdollars)
        VALUES (${cost.sessionId}, (now() AT TIME ZONE 'UTC')::date, 0, ${cost.model}, ${cost.calls}::int,
                ${cost.dollars === null ? cost.calls : 0}::int, ${cost.inputTokens}::bigint,
                ${cost.outputTokens}::bigint, ${microdollars}::bigint)
        ON CONFLICT (session_id, day, person_id, model) DO UPDATE SET
               calls = day.calls + excluded.calls,
               unpriced_calls = day.unpriced_calls + excluded.unpriced_calls,
               prompt_tokens = day.prompt_tokens + excluded.prompt_tokens,
               output_tokens = day.output_tokens + excluded.output_tokens,
               microdollars = day.microdollars + excluded.microdollars`,
    'add_summary_usage',
  );
}

async function ofSession(db: Database, sessionId: string): Promise<Spending> {
  const sums = await runOne<Record<string, string>>(
    db,
    sql`SELECT coalesce(sum(calls), 0) AS calls, coalesce(sum(unpriced_calls), 0) AS unpriced_calls,
               coalesce(sum(prompt_tokens), 0) AS prompt_tokens,
               coalesce(sum(cache_read_tokens), 0) AS cache_read_tokens,
               coalesce(sum(cache_write_tokens), 0) AS cache_write_tokens,
               coalesce(sum(output_tokens), 0) AS output_tokens, coalesce(sum(microdollars), 0) AS microdollars
        FROM usage_days WHERE session_id = ${sessionId}`,
    'usage_of_session',
  );
  const sum = (column: string): number => Number(sums?.[column] ?? 0);
  return {
    calls: sum('calls'),
    unpricedCalls: sum('unpriced_calls'),
    promptTokens: sum('prompt_tokens'),
    cacheReadTokens: sum('cache_read_tokens'),
    cacheWriteTokens: sum('cache_write_tokens'),
    outputTokens: sum('output_tokens'),
    dollars: sum('microdollars') / microdollarsPerDollar,
  };
}

async function today(db: Database, of: Parameters<UsageStore['today']>[0]): Promise<UsageOfToday> {
  const who =
    'sessionId' in of
      ? sql`SELECT i.person_id FROM sessions s JOIN chats c ON c.id = s.chat_row_id
            JOIN identities i ON i.platform = c.platform AND i.user_id = c.user_id
            WHERE s.id = ${of.sessionId} AND s.chat_kind = 'direct'`
      : sql`SELECT person_id FROM identities WHERE platform = ${of.platform} AND user_id = ${of.userId}`;
  const sums = await runOne<{ person: string | null; turns: string | null; installation: string | null }>(
    db,
    sql`WITH who AS (${who})
        SELECT sum(microdollars) AS installation,
               sum(microdollars) FILTER (WHERE person_id = (SELECT person_id FROM who)) AS person,
               sum(turns) FILTER (WHERE person_id = (SELECT person_id FROM who)) AS turns
        FROM usage_days WHERE day = (now() AT TIME ZONE 'UTC')::date`,
    'sessionId' in of ? 'session_usage_today' : 'usage_today',
  );
  return {
    person: Number(sums?.person ?? 0) / microdollarsPerDollar,
    personTurns: Number(sums?.turns ?? 0),
    installation: Number(sums?.installation ?? 0) / microdollarsPerDollar,
  };
}
