/** What operators take away from a session: its rests, and its holder. */
import type { ActRefusal, Actor } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne, transaction } from '../database.ts';
import { writeAction } from './write-action.ts';

/** A holder would write its own rests over ours, so nothing is done while there is one; an old one is fenced off. */
export function resetRests(db: Database, sessionId: string, actor: Actor): Promise<ActRefusal | null> {
  return transaction(db, async (tx) => {
    const session = await runOne<{ is_held: boolean }>(
      tx,
      sql`SELECT coalesce(lease_until > clock_timestamp(), false) AS is_held FROM sessions WHERE id = ${sessionId} FOR UPDATE`,
    );
    if (session === null) return 'missing';
    if (session.is_held) return 'busy';
    await run(
      tx,
      sql`UPDATE sessions SET epoch = epoch + 1, cooldown_until = NULL, cooldown_reason = NULL, failure_streak = 0,
          ineffective_streak = 0, fallback_streak = 0, timeout_streak = 0, truncation_streak = 0, probe_at = NULL,
          structural_until = NULL, hold_rest_until = NULL, hold_rest_reason = NULL, hold_failure_streak = 0, rest_after_seq = NULL
        WHERE id = ${sessionId}`,
    );
    await run(tx, sql`UPDATE lcm_spend SET calls = 0, backoff_until = NULL WHERE session_id = ${sessionId}`);
    await writeAction(tx, { actor, act: 'reset_rests', sessionId });
    tx.notices.add([{ kind: 'mailbox', sessionId }]);
    return null;
  });
}

export function resetBreaker(
  db: Database,
  { provider, model }: { provider: string; model: string },
  actor: Actor,
): Promise<ActRefusal | null> {
  return transaction(db, async (tx) => {
    const breaker = await runOne(
      tx,
      sql`UPDATE lcm_breaker SET failures = 0, open_until = NULL, changed_at = now()
        WHERE provider = ${provider} AND model = ${model} AND failures > 0 RETURNING model`,
    );
    if (breaker === null) return 'nothing_to_do';
    await writeAction(tx, { actor, act: 'reset_breaker', target: `${provider}/${model}` });
    return null;
  });
}

/** The epoch rises with it, so that the former holder's next write is refused at once and not only after the next claim. */
export function releaseLease(db: Database, sessionId: string, actor: Actor): Promise<ActRefusal | null> {
  return transaction(db, async (tx) => {
    const released = await runOne<{ was_held: boolean }>(
      tx,
      sql`UPDATE sessions s SET epoch = s.epoch + 1, lease_owner = NULL, lease_until = NULL
        FROM (SELECT id, coalesce(lease_until > clock_timestamp(), false) AS was_held FROM sessions WHERE id = ${sessionId} FOR UPDATE) old
        WHERE s.id = old.id AND old.was_held RETURNING old.was_held`,
    );
    if (released === null) return 'nothing_to_do';
    await writeAction(tx, { actor, act: 'release_lease', sessionId });
    tx.notices.add([{ kind: 'mailbox', sessionId }]);
    return null;
  });
}
