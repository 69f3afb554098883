/** What happened to the rows of a test's store, and what time does to them. */
import type { TestStore } from './open-test-store.ts';

/** The session's lease ran out; nobody took it over yet. */
export const expireLease = ({ sql }: TestStore, sessionId: string) =>
  sql(`UPDATE sessions SET lease_until = now() - interval '1 second' WHERE id = $1`, [sessionId]);

/** How many rows there are of what a turn leaves behind, and the states of the mailbox in order. */
export const countStored = ({ sql }: TestStore) =>
  sql(`SELECT (SELECT count(*)::int FROM messages) AS messages, (SELECT count(*)::int FROM outbox) AS outbox,
       (SELECT count(*)::int FROM events WHERE type <> 'session:start') AS events,
       (SELECT string_agg(state, ',' ORDER BY seq) FROM mailbox) AS mailbox`);
