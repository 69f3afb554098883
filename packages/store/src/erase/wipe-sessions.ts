/** Whole sessions: every row a tombstone out of the prompt, and nothing else kept but counts. */
import type { ErasedCounts } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { run, runOne, together, type Transaction } from '../database.ts';

export interface SessionsToWipe {
  sessionIds: readonly string[];
  /** The session whose lease the caller holds, and the command that asked: newer mail of it stays. */
  own: { id: string; seq: number } | null;
}

/** Tables whose rows of the session go, in the order in which they may. */
export const emptied = [
  'message_search',
  'lcm_context_items',
  'lcm_summary_sources',
  'lcm_summary_messages',
  'lcm_summaries',
  'lcm_chapters',
  'lcm_files',
  'lcm_compaction_debt',
  'lcm_spend',
  'dcp_block',
  'dcp_mark',
  'dcp_ref',
  'dcp_event',
  'dcp_session',
  'engine_state',
  'prepared_compactions',
  'outbox_parts',
  'outbox',
  'turns',
  'turn_progress',
  'signals',
  'payloads',
] as const;

/** The sessions are locked. They go on empty; turns that run elsewhere are fenced off. */
export async function wipeSessions(tx: Transaction, wiped: SessionsToWipe): Promise<ErasedCounts> {
  const { sessionIds, own } = wiped;
  const of = sql`session_id = ANY(${sql.param([...sessionIds])}::text[])`;
  const counts = await countBefore(tx, of);
  await emptyUpdates(tx, wiped);
  await run(
    tx,
    sql`DELETE FROM mailbox WHERE ${of}
          AND NOT (session_id = ${own?.id ?? null}::text AND seq > ${own?.seq ?? 0}::bigint) IS TRUE`,
    'wipe_mailbox',
  );
  await emptyRows(tx, of);
  for (const table of emptied) await run(tx, sql`DELETE FROM ${sql.identifier(table)} WHERE ${of}`);
  await voidLedger(tx, of);
  await emptySessions(tx, wiped);
  return { ...counts, sessions: sessionIds.length };
}

async function countBefore(tx: Transaction, of: SQL): Promise<Omit<ErasedCounts, 'sessions'>> {
  const row = await runOne<{ messages: number; summaries: number; payloads: number }>(
    tx,
    sql`SELECT (SELECT count(*) FROM messages WHERE ${of} AND kind <> 'summary' AND replaces IS NULL)::int AS messages,
          ((SELECT count(*) FROM messages WHERE ${of} AND kind = 'summary')
            + (SELECT count(*) FROM lcm_summaries WHERE ${of})
            + (SELECT count(*) FROM dcp_block WHERE ${of}))::int AS summaries,
          (SELECT count(*) FROM payloads WHERE ${of})::int AS payloads`,
    'wipe_counts',
  );
  return { messages: 0, summaries: 0, payloads: 0, ...row, quotes: 0, undone: 0 };
}

/** The updates as they were received. */
async function emptyUpdates(tx: Transaction, { sessionIds, own }: SessionsToWipe): Promise<void> {
  await run(
    tx,
    sql`UPDATE inbox i SET raw = NULL, sender_id = NULL FROM mailbox b
        WHERE b.session_id = ANY(${sql.param([...sessionIds])}::text[]) AND i.id = b.inbox_id
          AND NOT (b.session_id = ${own?.id ?? null}::text AND b.seq > ${own?.seq ?? 0}::bigint) IS TRUE`,
    'wipe_updates',
  );
}

/** Withdrawn: out of the prompt and of search. Their turns stay, so that no step is stored twice. */
async function emptyRows(tx: Transaction, of: SQL): Promise<void> {
  await run(
    tx,
    sql`UPDATE messages SET parts = '[]', tokens = 0, active = 0, compacted = 0, archived_by = NULL, replaces = NULL,
          sender_id = NULL, sender_name = NULL, platform_message_id = NULL, tool_call_id = NULL, tool_call_ids = '{}'
        WHERE ${of}`,
    'wipe_rows',
  );
}

/** What compactions did is figures; none can be taken back. */
async function voidLedger(tx: Transaction, of: SQL): Promise<void> {
  await together(() => [
    run(
      tx,
      sql`UPDATE compactions SET undone_by = coalesce(undone_by, id), written_rows = NULL, message = NULL, details = NULL,
            outcome = coalesce(outcome, 'aborted'), finished_at = coalesce(finished_at, now())
          WHERE ${of}`,
      'wipe_ledger',
    ),
    // What a person spent counts for the session, and for nobody.
    run(
      tx,
      sql`WITH gone AS (DELETE FROM usage_days WHERE ${of} AND person_id <> 0 RETURNING *)
          INSERT INTO usage_days AS u (session_id, day, person_id, model, calls, unpriced_calls, prompt_tokens,
            cache_read_tokens, cache_write_tokens, output_tokens, microdollars)
          SELECT session_id, day, 0, model, sum(calls), sum(unpriced_calls), sum(prompt_tokens), sum(cache_read_tokens),
            sum(cache_write_tokens), sum(output_tokens), sum(microdollars)
          FROM gone GROUP BY session_id, day, model
          ON CONFLICT (session_id, day, person_id, model) DO UPDATE SET calls = u.calls + EXCLUDED.calls,
            unpriced_calls = u.unpriced_calls + EXCLUDED.unpriced_calls,
            prompt_tokens = u.prompt_tokens + EXCLUDED.prompt_tokens,
            cache_read_tokens = u.cache_read_tokens + EXCLUDED.cache_read_tokens,
            cache_write_tokens = u.cache_write_tokens + EXCLUDED.cache_write_tokens,
            output_tokens = u.output_tokens + EXCLUDED.output_tokens, microdollars = u.microdollars + EXCLUDED.microdollars`,
      'wipe_spender',
    ),
  ]);
}

async function emptySessions(tx: Transaction, { sessionIds, own }: SessionsToWipe): Promise<void> {
  const isOwn = sql`id = ${own?.id ?? null}::text`;
  await run(
    tx,
    sql`UPDATE sessions SET title = NULL, system_prompt = NULL, system_note = NULL, revision = revision + 1,
          last_prompt_tokens = 0, last_output_tokens = 0, last_priced_seq = 0, rest_after_seq = NULL, preparing_until = NULL,
          cooldown_until = NULL, cooldown_reason = NULL, failure_streak = 0, ineffective_streak = 0, fallback_streak = 0,
          updated_at = now(), epoch = CASE WHEN ${isOwn} THEN epoch ELSE epoch + 1 END,
          lease_owner = CASE WHEN ${isOwn} THEN lease_owner END, lease_until = CASE WHEN ${isOwn} THEN lease_until END
        WHERE id = ANY(${sql.param([...sessionIds])}::text[])`,
    'wipe_sessions',
  );
}
