/** What model calls cost, added up. */
import type { Spending, UsageStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, runOne } from '../database.ts';

const microdollarsPerDollar = 1_000_000;

export function createUsageStore(db: Database): UsageStore {
  return {
    ofSession: (sessionId) => ofSession(db, sessionId),
    today: (sender) => today(db, sender),
  };
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

async function today(
  db: Database,
  { platform, userId }: Parameters<UsageStore['today']>[0],
): Promise<{ person: number; installation: number }> {
  const sums = await runOne<{ person: string | null; installation: string | null }>(
    db,
    sql`SELECT sum(microdollars) AS installation,
               sum(microdollars) FILTER (WHERE person_id = (
                 SELECT person_id FROM identities WHERE platform = ${platform} AND user_id = ${userId})) AS person
        FROM usage_days WHERE day = (now() AT TIME ZONE 'UTC')::date`,
    'usage_today',
  );
  return {
    person: Number(sums?.person ?? 0) / microdollarsPerDollar,
    installation: Number(sums?.installation ?? 0) / microdollarsPerDollar,
  };
}
