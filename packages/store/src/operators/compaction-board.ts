/** The ledger added up: attempts by kind, what they cost and saved, and how it went over time. */
import type {
  AppliedPoint,
  AttemptGroup,
  BoardStep,
  CompactionBoard,
  CompactionSpending,
} from '@palimpsest/core';
import { type SQL, sql } from 'drizzle-orm';
import { type Database, run, runOne } from '../database.ts';

const pointsShown = 200;

/** Rows without figures changed nothing: they were declined, failed, or are under way. */
const figure = (name: string): SQL => sql`(k.figures->>${sql.raw(`'${name}'`)})::float8`;
const isApplied =
  sql.raw(`k.figures IS NOT NULL AND k.outcome IN ('success', 'deterministic', 'fallback_trim', 'ineffective')
  AND k.trigger <> 'undo'`);
const stands = sql`${isApplied} AND k.undone_by IS NULL`;

export async function compactionBoard(
  db: Database,
  { hours, steps }: { hours: number; steps: number },
): Promise<CompactionBoard> {
  const span = await runOne<{ since: Date }>(
    db,
    sql`SELECT now() - ${hours}::int * interval '1 hour' AS since`,
  );
  const since = span!.since;
  const stepSeconds = Math.ceil((hours * 3600) / steps);
  const [groups, spending, line, applied] = await Promise.all([
    attemptGroups(db, since),
    spendings(db, since),
    timeLine(db, since, stepSeconds),
    points(db, since),
  ]);
  return { since, groups, spending, steps: line, applied };
}

/** `compactions_finished` finds what has ended, `compactions_open` the few that have not. */
const ofRange = (since: Date): SQL =>
  sql`(k.finished_at >= ${since} OR (k.outcome IS NULL AND k.started_at >= ${since}))`;

function attemptGroups(db: Database, since: Date): Promise<AttemptGroup[]> {
  return run<AttemptGroup>(
    db,
    sql`SELECT k.layer, k.trigger, k.outcome, k.reason, count(*)::int AS attempts,
        coalesce(sum(${figure('tokensBefore')}) FILTER (WHERE ${isApplied}), 0)::float8 AS "tokensBefore",
        coalesce(sum(${figure('tokensAfter')}) FILTER (WHERE ${isApplied}), 0)::float8 AS "tokensAfter",
        percentile_cont(0.5) WITHIN GROUP (ORDER BY k.duration_ms) AS "medianMs", max(k.duration_ms) AS "longestMs"
      FROM compactions k WHERE ${ofRange(since)}
      GROUP BY k.layer, k.trigger, k.outcome, k.reason ORDER BY attempts DESC, 1, 2, 3, 4`,
  );
}

/** A turn's model calls did not read what the compaction before it had reclaimed; at most that one counts. */
function spendings(db: Database, since: Date): Promise<CompactionSpending[]> {
  const reclaimed = sql`greatest(0, ${figure('tokensBefore')} - ${figure('tokensAfter')})`;
  return run<CompactionSpending>(
    db,
    sql`WITH done AS (
        SELECT k.session_id, k.id, k.layer, k.main_model, k.summary_model, k.finished_at, ${reclaimed} AS reclaimed,
          ${figure('tokensAfter')} AS kept, ${figure('summaryInputTokens')} AS input, ${figure('summaryOutputTokens')} AS output,
          lead(k.finished_at) OVER (PARTITION BY k.session_id ORDER BY k.id) AS next_at
        FROM compactions k WHERE k.finished_at >= ${since} AND ${stands}
      ), later AS (
        SELECT done.session_id, done.id, sum(t.model_calls)::float8 AS calls,
          count(*) FILTER (WHERE t.model_calls > 0) AS turns
        FROM done JOIN turns t ON t.session_id = done.session_id AND t.started_at >= done.finished_at
          AND (done.next_at IS NULL OR t.started_at < done.next_at)
        WHERE t.started_at >= ${since}
        GROUP BY 1, 2
      )
      SELECT done.layer, done.main_model AS "mainModel", done.summary_model AS "summaryModel", count(*)::int AS compactions,
        coalesce(sum(done.input), 0)::float8 AS "summaryInputTokens", coalesce(sum(done.output), 0)::float8 AS "summaryOutputTokens",
        coalesce(sum(done.kept), 0)::float8 AS "keptTokens", coalesce(sum(done.reclaimed), 0)::float8 AS "reclaimedTokens",
        coalesce(sum(done.reclaimed * later.calls), 0)::float8 AS "savedTokens",
        coalesce(sum(later.calls), 0)::float8 AS "laterCalls", coalesce(sum(later.turns), 0)::int AS "laterTurns"
      FROM done LEFT JOIN later USING (session_id, id)
      GROUP BY 1, 2, 3 ORDER BY "reclaimedTokens" DESC, 1, 2`,
  );
}

function timeLine(db: Database, since: Date, stepSeconds: number): Promise<BoardStep[]> {
  const step = sql`${stepSeconds}::int * interval '1 s'`;
  const binOf = (column: string): SQL => sql`date_bin(${step}, ${sql.raw(column)}, ${since})`;
  return run<BoardStep>(
    db,
    sql`SELECT line.at, coalesce(done.applied, 0)::int AS applied, coalesce(done.failed, 0)::int AS failed,
        coalesce(done.declined, 0)::int AS declined, coalesce(done.reclaimed, 0)::float8 AS "reclaimedTokens",
        coalesce(read.prompt, 0)::float8 AS "promptTokens", coalesce(read.cached, 0)::float8 AS "cacheReadTokens",
        coalesce(read.written, 0)::float8 AS "cacheWriteTokens"
      FROM generate_series(${since}::timestamptz, now(), ${step}) AS line (at)
      LEFT JOIN (SELECT ${binOf('k.finished_at')} AS at, count(*) FILTER (WHERE ${isApplied}) AS applied,
          count(*) FILTER (WHERE k.outcome IN ('failed', 'aborted')) AS failed,
          count(*) FILTER (WHERE k.outcome IN ('skipped', 'noop')) AS declined,
          sum(greatest(0, ${figure('tokensBefore')} - ${figure('tokensAfter')})) FILTER (WHERE ${isApplied}) AS reclaimed
        FROM compactions k WHERE k.finished_at >= ${since} GROUP BY 1) done USING (at)
      LEFT JOIN (SELECT ${binOf('t.started_at')} AS at, sum(t.prompt_tokens) AS prompt, sum(t.cache_read_tokens) AS cached,
          sum(t.cache_write_tokens) AS written
        FROM turns t WHERE t.started_at >= ${since} GROUP BY 1) read USING (at)
      ORDER BY line.at`,
  );
}

function points(db: Database, since: Date): Promise<AppliedPoint[]> {
  return run<AppliedPoint>(
    db,
    sql`SELECT k.id, k.session_id AS "sessionId", k.finished_at AS at, k.layer, ${figure('tokensBefore')} AS "tokensBefore",
        ${figure('tokensAfter')} AS "tokensAfter"
      FROM compactions k WHERE k.finished_at >= ${since} AND ${isApplied} ORDER BY k.finished_at DESC LIMIT ${pointsShown}::int`,
  );
}
