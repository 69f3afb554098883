/** What people said and no turn could take: seen, given to a new turn, dropped. */
import type { ActRefusal, Actor, BoardStore, DeadMessage, DeadMessageKey } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne, transaction, type Transaction } from '../database.ts';
import { writeAction } from './write-action.ts';

export function deadMessages(db: Database, limit: number): Promise<readonly DeadMessage[]> {
  return run<DeadMessage>(
    db,
    sql`SELECT m.session_id AS "sessionId", m.seq, m.kind, chat.platform, chat.chat_id AS "chatId", chat.title AS "chatTitle",
          coalesce(t.attempt, m.attempts) AS attempts, m.accepted_at AS "acceptedAt", m.done_at AS "finishedAt",
          coalesce(length(m.content -> 'message' ->> 'text'), 0) AS characters
        FROM mailbox m
        JOIN chats named ON named.id = m.chat_row_id
        JOIN chats chat ON chat.id = coalesce(named.alias_of, named.id)
        LEFT JOIN turns t ON t.session_id = m.session_id AND t.id = m.turn_id
        WHERE m.state = 'dead' ORDER BY m.done_at DESC, m.session_id, m.seq DESC LIMIT ${limit}::int`,
  );
}

export function deadMessage(db: Database, which: DeadMessageKey): ReturnType<BoardStore['deadMessage']> {
  return runOne<{ text: string }>(
    db,
    sql`SELECT coalesce(content -> 'message' ->> 'text', '') AS text FROM mailbox
        WHERE session_id = ${which.sessionId} AND seq = ${which.seq}::bigint AND state = 'dead'`,
  );
}

/**
 * It waits again, with what the same turn had taken beside it, and becomes a new turn. What the dead turn left in the
 * transcript is taken out, else the model would read the message twice.
 */
export function retryMessage(db: Database, which: DeadMessageKey, actor: Actor): Promise<ActRefusal | null> {
  const { sessionId } = which;
  return transaction(db, async (tx) => {
    const session = await lockSession(tx, sessionId);
    const dead = session && (await lockDead(tx, which));
    if (!session || !dead) return 'missing';
    if (session.is_held) return 'busy';
    if (session.is_over) return 'nothing_to_do';
    if (dead.turn_id !== null) await withdrawTurn(tx, sessionId, dead.turn_id);
    await run(
      tx,
      sql`UPDATE mailbox SET state = 'pending', attempts = 0, not_before = now(), turn_id = NULL, done_at = NULL
          WHERE session_id = ${sessionId} AND state = 'dead'
            AND (seq = ${which.seq}::bigint OR turn_id = ${dead.turn_id}::text)`,
    );
    await writeAction(tx, { actor, act: 'retry_message', sessionId, target: String(which.seq) });
    tx.notices.add([{ kind: 'mailbox', sessionId }]);
    return null;
  });
}

/** It stays in the transcript where a turn had put it there; nobody answers it. */
export function dropMessage(db: Database, which: DeadMessageKey, actor: Actor): Promise<ActRefusal | null> {
  return transaction(db, async (tx) => {
    if (!(await lockDead(tx, which))) return 'missing';
    await run(
      tx,
      sql`UPDATE mailbox SET state = 'withdrawn', reason = 'dropped', done_at = now()
          WHERE session_id = ${which.sessionId} AND seq = ${which.seq}::bigint`,
    );
    await writeAction(tx, {
      actor,
      act: 'drop_message',
      sessionId: which.sessionId,
      target: String(which.seq),
    });
    return null;
  });
}

function lockSession(tx: Transaction, id: string): Promise<{ is_held: boolean; is_over: boolean } | null> {
  return runOne(
    tx,
    sql`SELECT coalesce(lease_until > clock_timestamp(), false) AS is_held, closed_at IS NOT NULL AS is_over
        FROM sessions WHERE id = ${id} FOR UPDATE`,
  );
}

/** Locked, so that two operators who press at once do it once. */
function lockDead(tx: Transaction, which: DeadMessageKey): Promise<{ turn_id: string | null } | null> {
  return runOne(
    tx,
    sql`SELECT turn_id FROM mailbox WHERE session_id = ${which.sessionId} AND seq = ${which.seq}::bigint AND state = 'dead'
        FOR UPDATE`,
  );
}

/** The epoch rises with it: whoever still believes to hold the session writes nothing over this. */
async function withdrawTurn(tx: Transaction, sessionId: string, turnId: string): Promise<void> {
  await run(
    tx,
    sql`UPDATE messages SET active = 0, compacted = 0, archived_by = NULL
        WHERE session_id = ${sessionId} AND turn_id = ${turnId} AND active = 1`,
  );
  await run(
    tx,
    sql`UPDATE sessions SET epoch = epoch + 1, revision = revision + 1, last_prompt_tokens = 0, last_output_tokens = 0,
          last_priced_seq = 0, updated_at = now() WHERE id = ${sessionId}`,
  );
  await run(tx, sql`DELETE FROM prepared_compactions WHERE session_id = ${sessionId}`);
}
