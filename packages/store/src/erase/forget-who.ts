/** identities, people, pairings, access_grants, signals, chats, chat_members, inbox, usage_days: who somebody is. */
import { sql } from 'drizzle-orm';
import { run, together, type Transaction } from '../database.ts';
import { jsonOf, type PersonGround } from './person-ground.ts';

/**
 * A denial stays: it is the operator's, and lifting it is not what the person may ask. `answeredAt`: the chat that still
 * has to be answered keeps its address; of others nothing is left that says where they were.
 */
export async function forgetWho(
  tx: Transaction,
  ground: PersonGround,
  answeredAt: number | null,
): Promise<void> {
  const named = jsonOf(ground.identities);
  await forgetUpdates(tx, ground);
  await together(() => [
    run(
      tx,
      sql`DELETE FROM pairings x USING ${named} WHERE x.platform = p.platform AND x.user_id = p.user_id`,
      'forget_pairings',
    ),
    run(
      tx,
      sql`DELETE FROM access_grants x USING ${named}
          WHERE x.kind = 'user' AND x.access <> 'deny' AND x.platform = p.platform AND x.id = p.user_id`,
      'forget_grants',
    ),
    run(
      tx,
      sql`DELETE FROM signals x USING chats c, ${named}
          WHERE c.id = x.chat_row_id AND c.platform = p.platform AND x.sender_id = p.user_id`,
      'forget_signals',
    ),
    run(
      tx,
      sql`DELETE FROM chat_members x USING chats c, ${named}
          WHERE c.id = x.chat_row_id AND c.platform = p.platform AND x.user_id = p.user_id`,
      'forget_seats',
    ),
    run(
      tx,
      sql`UPDATE chats SET user_id = NULL, title = NULL, language = NULL, last_message_id = NULL,
            chat_id = CASE WHEN id = ${answeredAt}::bigint THEN chat_id ELSE 'erased-' || id END,
            session_id = CASE WHEN id = ${answeredAt}::bigint THEN session_id END
          WHERE id = ANY(${sql.param([...ground.directChats])}::bigint[])`,
      'forget_chats',
    ),
    run(
      tx,
      sql`DELETE FROM identities x USING ${named} WHERE x.platform = p.platform AND x.user_id = p.user_id`,
      'forget_identities',
    ),
  ]);
  await forgetPerson(tx, ground.personId);
}

/** The key of the update stays, so that it is not accepted again; it names nobody. */
async function forgetUpdates(tx: Transaction, { identities, directChats }: PersonGround): Promise<void> {
  await run(
    tx,
    sql`UPDATE inbox i SET raw = NULL, sender_id = NULL, message_key = NULL, message_id = NULL,
          chat_id = CASE WHEN EXISTS (SELECT 1 FROM chats c WHERE c.id = ANY(${sql.param([...directChats])}::bigint[])
            AND c.platform = i.platform AND c.chat_id = i.chat_id) THEN NULL ELSE i.chat_id END
        WHERE EXISTS (SELECT 1 FROM ${jsonOf(identities)} WHERE p.platform = i.platform AND p.user_id = i.sender_id)
           OR EXISTS (SELECT 1 FROM chats c WHERE c.id = ANY(${sql.param([...directChats])}::bigint[])
             AND c.platform = i.platform AND c.account = i.account AND c.chat_id = i.chat_id)`,
    'forget_updates',
  );
  // Where others answered or named them. Numbers that short are everywhere.
  await run(
    tx,
    sql`UPDATE inbox i SET raw = NULL FROM ${jsonOf(identities)}
        WHERE i.platform = p.platform AND i.raw IS NOT NULL AND length(p.user_id) >= 5
          AND position(convert_to(p.user_id, 'UTF8') IN i.raw) > 0`,
    'forget_naming',
  );
}

/** What they spent counts for the sessions, and for nobody. */
async function forgetPerson(tx: Transaction, personId: number | null): Promise<void> {
  if (personId === null) return;
  await run(
    tx,
    sql`WITH gone AS (DELETE FROM usage_days WHERE person_id = ${personId}::bigint RETURNING *)
        INSERT INTO usage_days AS u (session_id, day, person_id, model, turns, calls, unpriced_calls, prompt_tokens,
          cache_read_tokens, cache_write_tokens, output_tokens, microdollars)
        SELECT session_id, day, 0, model, turns, calls, unpriced_calls, prompt_tokens, cache_read_tokens, cache_write_tokens,
          output_tokens, microdollars FROM gone
        ON CONFLICT (session_id, day, person_id, model) DO UPDATE SET turns = u.turns + EXCLUDED.turns, calls = u.calls + EXCLUDED.calls,
          unpriced_calls = u.unpriced_calls + EXCLUDED.unpriced_calls,
          prompt_tokens = u.prompt_tokens + EXCLUDED.prompt_tokens,
          cache_read_tokens = u.cache_read_tokens + EXCLUDED.cache_read_tokens,
          cache_write_tokens = u.cache_write_tokens + EXCLUDED.cache_write_tokens,
          output_tokens = u.output_tokens + EXCLUDED.output_tokens, microdollars = u.microdollars + EXCLUDED.microdollars`,
    'forget_spender',
  );
  await run(
    tx,
    sql`DELETE FROM people WHERE id = ${personId}::bigint
          AND NOT EXISTS (SELECT 1 FROM identities WHERE person_id = ${personId}::bigint)`,
    'forget_person',
  );
}
