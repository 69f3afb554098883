/** mailbox: what was said to others in a group waits for the next answer there, the newest of it only. */
import type { IntakePolicy } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import type { Accepted } from './write-mailbox.ts';

/** More than the policy keeps is dropped, oldest first. */
export async function dropOldOverheard(
  tx: Transaction,
  { keepUnaddressed = 0 }: IntakePolicy,
  fresh: readonly Accepted[],
): Promise<void> {
  const heard = fresh.filter(({ verdict }) => verdict.kind === 'overheard');
  const places = new Map(heard.map(({ place }) => [place.chatRowId, place]));
  for (const { chatRowId, sessionId } of places.values()) {
    const waiting = sql`session_id = ${sessionId} AND chat_row_id = ${chatRowId}::bigint AND state = 'pending'
      AND kind = 'edit' AND content->>'kind' = 'overheard'`;
    await run(
      tx,
      sql`DELETE FROM mailbox WHERE ${waiting} AND seq <= (
            SELECT seq FROM mailbox WHERE ${waiting} ORDER BY seq DESC OFFSET ${keepUnaddressed}::int LIMIT 1)`,
      'drop_overheard',
    );
  }
}
