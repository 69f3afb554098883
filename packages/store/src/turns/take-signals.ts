/** signals: read at every border of a turn, so the usual answer (none) costs one index probe and no lock. */
import type { Interaction, Lease, Signal } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type ChatTargetRecord, chatTargetColumns, toChatTarget } from '../chat-target.ts';
import { type Database, run, runOne } from '../database.ts';
import { withLease } from '../with-lease.ts';
import { tellWanted } from '../write-events.ts';

/** What makes way has a row in the mailbox, which tells of it. */
const toldCommands = sql.raw(
  `SELECT session_id, 'command:' || kind, jsonb_build_object('type', 'command:' || kind, 'sessionId', session_id, 'by', 'person')
   FROM taken WHERE kind <> 'make_way' ORDER BY id`,
);

/** Take all signals of the session, oldest first; they are gone afterwards. Throws LeaseLost if there are any. */
export async function takeSignals(db: Database, lease: Lease): Promise<readonly Signal[]> {
  const { sessionId } = lease;
  const some = await runOne(
    db,
    sql`SELECT 1 AS one FROM signals WHERE session_id = ${sessionId} LIMIT 1`,
    'any_signal',
  );
  if (some === null) return [];
  return withLease(db, lease, async (tx) => {
    const rows = await run<
      ChatTargetRecord &
        Omit<Signal, 'chat' | 'senderId' | 'interaction'> & {
          sender_id: string;
          interaction: Interaction | null;
        }
    >(
      tx,
      sql`WITH taken AS (DELETE FROM signals WHERE session_id = ${sessionId} RETURNING *),
          ${tellWanted(toldCommands)}
          SELECT t.id, t.kind AS kind, t.sender_id, t.argument, t.interaction, ${chatTargetColumns} FROM taken t JOIN chats c ON c.id = t.chat_row_id ORDER BY t.id`,
      'take_signals',
    );
    return rows.map(({ id, kind, sender_id: senderId, argument, interaction, ...chat }) => ({
      id,
      kind,
      senderId,
      argument,
      chat: toChatTarget(chat),
      ...(interaction === null ? {} : { interaction }),
    }));
  });
}
