/** What a change says beside the graph: revisions, chapters, telemetry. */
import type { LcmTelemetry } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import type { ItemContext } from './write-items.ts';

/** The old nodes keep their text and name the new ones. */
export async function supersede(
  tx: Transaction,
  sessionId: string,
  pairs: readonly { summaryId: string; by: string }[],
): Promise<void> {
  if (pairs.length === 0) return;
  await run(
    tx,
    sql`UPDATE lcm_summaries s SET superseded_by = p.by
        FROM unnest(${sql.param(pairs.map((pair) => pair.summaryId))}::text[], ${sql.param(pairs.map((pair) => pair.by))}::text[])
          AS p(summary_id, by)
        WHERE s.session_id = ${sessionId} AND s.id = p.summary_id AND p.by <> p.summary_id`,
    'lcm_supersede',
  );
}

export async function writeChapter(
  tx: Transaction,
  context: ItemContext,
  boundarySeq: number | undefined,
): Promise<void> {
  if (boundarySeq === undefined) return;
  await run(
    tx,
    sql`INSERT INTO lcm_chapters (session_id, compaction_id, boundary_seq)
        VALUES (${context.sessionId}, ${context.compactionId}::bigint, ${boundarySeq}::bigint)
        ON CONFLICT (session_id, compaction_id) DO UPDATE SET boundary_seq = EXCLUDED.boundary_seq`,
    'lcm_write_chapter',
  );
}

export async function writeTelemetry(
  tx: Transaction,
  sessionId: string,
  telemetry: LcmTelemetry | undefined,
): Promise<void> {
  if (telemetry === undefined) return;
  await run(
    tx,
    sql`INSERT INTO lcm_cache_telemetry (session_id, provider, model, cache_state, last_read_at, last_write_at, last_break_at,
          cold_observations, turns_since_leaf, tokens_since_leaf)
        VALUES (${sessionId}, ${telemetry.provider}, ${telemetry.model}, ${telemetry.cacheState}, ${telemetry.lastReadAt}::timestamptz,
          ${telemetry.lastWriteAt}::timestamptz, ${telemetry.lastBreakAt}::timestamptz, ${telemetry.coldObservations}::int,
          ${telemetry.turnsSinceLeaf}::int, ${Math.round(telemetry.tokensSinceLeaf)}::bigint)
        ON CONFLICT (session_id, provider, model) DO UPDATE SET cache_state = EXCLUDED.cache_state,
          last_read_at = EXCLUDED.last_read_at, last_write_at = EXCLUDED.last_write_at, last_break_at = EXCLUDED.last_break_at,
          cold_observations = EXCLUDED.cold_observations, turns_since_leaf = EXCLUDED.turns_since_leaf,
          tokens_since_leaf = EXCLUDED.tokens_since_leaf`,
    'lcm_write_telemetry',
  );
}
