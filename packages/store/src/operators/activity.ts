/** What arrived, was answered and failed lately. */
import type { Activity, ActivityMinute } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne } from '../database.ts';

const minutes = 30;

export async function activity(db: Database): Promise<Activity> {
  const [lately, day] = await Promise.all([lastMinutes(db), lastDay(db)]);
  return { minutes: lately, day };
}

function lastMinutes(db: Database): Promise<ActivityMinute[]> {
  return run<ActivityMinute>(
    db,
    sql`WITH span AS (SELECT date_trunc('minute', now()) - (${minutes - 1}::int * interval '1 min') AS since)
      SELECT step.at, coalesce(arrived.messages, 0)::int AS messages, coalesce(ran.turns, 0)::int AS turns,
        coalesce(ran.failures, 0)::int AS failures
      FROM span CROSS JOIN generate_series(span.since, now(), interval '1 min') AS step (at)
      LEFT JOIN (SELECT date_trunc('minute', i.received_at) AS at, count(*) AS messages
        FROM inbox i, span WHERE i.received_at >= span.since AND i.status = 'stored' GROUP BY 1) arrived USING (at)
      LEFT JOIN (SELECT date_trunc('minute', t.started_at) AS at, count(*) AS turns,
          count(*) FILTER (WHERE t.state IN ('failed', 'dead')) AS failures
        FROM turns t, span WHERE t.started_at >= span.since GROUP BY 1) ran USING (at)
      ORDER BY step.at`,
    'board_minutes',
  );
}

async function lastDay(db: Database): Promise<Activity['day']> {
  const row = await runOne<Record<keyof Activity['day'], number>>(
    db,
    sql`SELECT count(*)::int AS turns, count(*) FILTER (WHERE state IN ('failed', 'dead'))::int AS "failedTurns",
        (SELECT count(*)::int FROM outbox WHERE state IN ('unknown', 'dead', 'failed')
          AND finished_at >= now() - interval '1 day') AS "failedReplies",
        (SELECT count(*)::int FROM compactions WHERE finished_at >= now() - interval '1 day'
          AND outcome IN ('failed', 'aborted')) AS "failedCompactions"
      FROM turns WHERE started_at >= now() - interval '1 day'`,
    'board_day',
  );
  return row ?? { turns: 0, failedTurns: 0, failedReplies: 0, failedCompactions: 0 };
}
