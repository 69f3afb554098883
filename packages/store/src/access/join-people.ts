/** people, identities, usage_days: two people are one; what they spent is added up. */
import type { Account } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, runOne, type Transaction } from '../database.ts';

/** All accounts of `gone`'s person are `kept`'s from now on. */
export async function joinPeople(
  tx: Transaction,
  { kept, gone }: { kept: Account; gone: Account },
): Promise<void> {
  const keptId = await personOf(tx, kept);
  const goneId = await personOf(tx, gone);
  if (keptId === null || goneId === null || keptId === goneId) return;
  await run(
    tx,
    sql`UPDATE identities SET person_id = ${keptId}::bigint WHERE person_id = ${goneId}::bigint`,
    'join_identities',
  );
  await run(
    tx,
    sql`WITH gone AS (DELETE FROM usage_days WHERE person_id = ${goneId}::bigint RETURNING *)
        INSERT INTO usage_days AS u (session_id, day, person_id, model, turns, calls, unpriced_calls, prompt_tokens,
          cache_read_tokens, cache_write_tokens, output_tokens, microdollars)
        SELECT session_id, day, ${keptId}::bigint, model, turns, calls, unpriced_calls, prompt_tokens, cache_read_tokens,
          cache_write_tokens, output_tokens, microdollars FROM gone
        ON CONFLICT (session_id, day, person_id, model) DO UPDATE SET turns = u.turns + EXCLUDED.turns,
          calls = u.calls + EXCLUDED.calls, unpriced_calls = u.unpriced_calls + EXCLUDED.unpriced_calls,
          prompt_tokens = u.prompt_tokens + EXCLUDED.prompt_tokens,
          cache_read_tokens = u.cache_read_tokens + EXCLUDED.cache_read_tokens,
          cache_write_tokens = u.cache_write_tokens + EXCLUDED.cache_write_tokens,
          output_tokens = u.output_tokens + EXCLUDED.output_tokens, microdollars = u.microdollars + EXCLUDED.microdollars`,
    'join_usage',
  );
  await run(tx, sql`DELETE FROM people WHERE id = ${goneId}::bigint`, 'join_people');
}

async function personOf(tx: Transaction, { platform, userId }: Account): Promise<number | null> {
  const row = await runOne<{ person_id: number }>(
    tx,
    sql`SELECT person_id FROM identities WHERE platform = ${platform} AND user_id = ${userId} FOR UPDATE`,
    'person_of',
  );
  return row?.person_id ?? null;
}
