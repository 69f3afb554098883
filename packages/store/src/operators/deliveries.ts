/** Replies that did not reach their chat for certain: seen, sent again, dropped. */
import type { ActRefusal, Actor, BoardStore, TroubledPart, TroubledReply } from '@palimpsest/core';
import { type SQL, sql } from 'drizzle-orm';
import { type Database, run, runOne, transaction } from '../database.ts';
import { writeAction } from './write-action.ts';

const isTroubled = sql.raw(`r.state IN ('unknown', 'dead', 'failed')`);

const replies = (where: SQL, limit: number): SQL => sql`
  SELECT r.id, r.session_id AS "sessionId", r.account, chat.platform, chat.chat_id AS "chatId", chat.title AS "chatTitle", r.kind, r.state,
    r.attempts, r.problem, r.created_at AS "createdAt", r.finished_at AS "finishedAt", length(r.text) AS characters,
    parts.parts, parts.sent AS "partsSent"
  FROM outbox r
  JOIN chats named ON named.id = r.chat_row_id
  JOIN chats chat ON chat.id = coalesce(named.alias_of, named.id)
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS parts, count(*) FILTER (WHERE p.state = 'sent')::int AS sent
    FROM outbox_parts p WHERE p.session_id = r.session_id AND p.reply_id = r.id
  ) parts
  WHERE ${isTroubled} AND ${where} ORDER BY r.id DESC LIMIT ${limit}::int`;

export function deliveries(
  db: Database,
  wish: Parameters<BoardStore['deliveries']>[0],
): Promise<readonly TroubledReply[]> {
  const conditions = [sql`true`];
  if (wish.state !== undefined) conditions.push(sql`r.state = ${wish.state}`);
  if (wish.beforeId !== undefined) conditions.push(sql`r.id < ${wish.beforeId}::bigint`);
  return run<TroubledReply>(db, replies(sql.join(conditions, sql` AND `), wish.limit));
}

export async function delivery(db: Database, id: number): ReturnType<BoardStore['delivery']> {
  const reply = await runOne<TroubledReply>(db, replies(sql`r.id = ${id}::bigint`, 1));
  if (reply === null) return null;
  const [whole, parts] = await Promise.all([
    runOne<{ text: string }>(
      db,
      sql`SELECT text FROM outbox WHERE session_id = ${reply.sessionId} AND id = ${id}::bigint`,
    ),
    run<TroubledPart>(
      db,
      sql`SELECT position AS index, state, attempts, may_be_out AS "mayBeOut", platform_message_id AS "platformMessageId",
          sent_at AS "sentAt", text
        FROM outbox_parts WHERE session_id = ${reply.sessionId} AND reply_id = ${id}::bigint ORDER BY position`,
    ),
  ]);
  return { reply, text: whole?.text ?? '', parts };
}

interface LockedReply {
  session_id: string;
  account: string;
  parts: number;
  sent: number;
}

/** Locked, so that two operators who press at once do it once; null: it is not among them any more. */
function lockTroubled(
  tx: Parameters<Parameters<typeof transaction>[1]>[0],
  id: number,
): Promise<LockedReply | null> {
  return runOne<LockedReply>(
    tx,
    sql`SELECT r.session_id, r.account,
        (SELECT count(*)::int FROM outbox_parts p WHERE p.session_id = r.session_id AND p.reply_id = r.id) AS parts,
        (SELECT count(*)::int FROM outbox_parts p WHERE p.session_id = r.session_id AND p.reply_id = r.id AND p.state = 'sent') AS sent
      FROM outbox r WHERE r.id = ${id}::bigint AND ${isTroubled} FOR UPDATE`,
  );
}

/**
 * Parts with a receipt stay as they are. What may be out already is sent again all the same: that is what the operator
 * decided, so it no longer counts as doubtful.
 */
export function retryDelivery(
  db: Database,
  id: number,
  actor: Actor,
): Promise<{ account: string } | ActRefusal> {
  return transaction(db, async (tx) => {
    const reply = await lockTroubled(tx, id);
    if (reply === null) return 'missing';
    const { session_id: sessionId, account } = reply;
    if (reply.parts > 0 && reply.sent === reply.parts) return 'nothing_to_do';
    await run(
      tx,
      sql`UPDATE outbox SET state = 'pending', attempts = 0, not_before = now(), problem = NULL, finished_at = NULL
        WHERE session_id = ${sessionId} AND id = ${id}::bigint`,
    );
    await run(
      tx,
      sql`UPDATE outbox_parts SET state = 'pending', may_be_out = false
        WHERE session_id = ${sessionId} AND reply_id = ${id}::bigint AND state <> 'sent'`,
    );
    await run(
      tx,
      sql`UPDATE outbox_parts SET may_be_out = false WHERE session_id = ${sessionId} AND reply_id = ${id}::bigint AND may_be_out`,
    );
    await writeAction(tx, { actor, act: 'retry_delivery', sessionId, target: String(id) });
    return { account };
  });
}

export function dropDelivery(db: Database, id: number, actor: Actor): Promise<ActRefusal | null> {
  return transaction(db, async (tx) => {
    const reply = await lockTroubled(tx, id);
    if (reply === null) return 'missing';
    await run(
      tx,
      sql`UPDATE outbox SET state = 'cancelled', finished_at = now() WHERE session_id = ${reply.session_id} AND id = ${id}::bigint`,
    );
    await writeAction(tx, { actor, act: 'drop_delivery', sessionId: reply.session_id, target: String(id) });
    return null;
  });
}
