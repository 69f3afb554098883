/** operator_actions: who did what to which id. */
import type { ActionNote } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Executor, run } from '../database.ts';

export async function writeAction(executor: Executor, note: ActionNote): Promise<void> {
  const { actor, act, sessionId, target } = note;
  await run(
    executor,
    sql`INSERT INTO operator_actions (actor, via, act, session_id, target)
      VALUES (${actor.name}, ${actor.via}, ${act}, ${sessionId ?? null}, ${target ?? null})`,
  );
}
