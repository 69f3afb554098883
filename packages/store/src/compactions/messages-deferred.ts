/** mailbox: messages of people that an attempt kept waiting. */
import { sql } from 'drizzle-orm';

/** For an UPDATE of `compactions` that closes a row: how many came while it ran and are not yet taken up. */
export const messagesDeferred = sql.raw(
  `(SELECT count(*)::int FROM mailbox b WHERE b.session_id = compactions.session_id AND b.state = 'pending'
      AND b.kind <> 'operator' AND b.accepted_at >= compactions.started_at)`,
);
