/** Sessions with a few lines, and compactions applied to them through the store. */
import type { CompactionPlan, MessageRow } from '@palimpsest/core';
import { openCompaction } from './plans.ts';
import { assistantRow, personRow, type StoreWorld, type TestSession } from './store-world.ts';

export type FilledSession = TestSession & { ids: number[] };

export const idsOf = (rows: readonly MessageRow[]) => rows.map((row) => row.id);

/** A claimed session in which a person and the assistant said `texts` in turns. */
export async function sessionWith(world: StoreWorld, texts: readonly string[]): Promise<FilledSession> {
  const session = await world.newSession();
  const rows = await world.append(
    session.lease,
    texts.map((text, index) => (index % 2 === 0 ? personRow(text) : assistantRow(text))),
  );
  return { ...session, ids: idsOf(rows) };
}

/** Open a ledger row and apply the plan; the row's id. */
export async function applyPlan(
  world: StoreWorld,
  session: TestSession,
  plan: CompactionPlan,
): Promise<number> {
  const id = await openCompaction(world.compactions, session.sessionId);
  await world.compactions.apply(session.lease, id, plan, []);
  return id;
}

/** What compactions leave on the session row; `rests`: a cooldown of more than 50 s is left. */
export async function countersOf(world: StoreWorld, sessionId: string): Promise<Record<string, unknown>> {
  const [row] = await world.query(
    `SELECT last_prompt_tokens, revision::int, compaction_count, system_note, cooldown_reason, failure_streak,
       ineffective_streak, cooldown_until > now() + interval '50 s' AS rests FROM sessions WHERE id = $1`,
    [sessionId],
  );
  return row ?? {};
}
