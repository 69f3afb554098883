/** Writing half of the outbox: what a reply is split into. */
import { randomBytes } from 'node:crypto';
import type { OutboxPart, PartContent } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne, transaction, type Transaction } from '../database.ts';
import { type PartRecord, toPart } from './due-replies.ts';
import { noSuch } from './send-parts.ts';

/** 20 hex digits: within Discord's 25 characters, and no two installations of one bot meet. */
const newNonce = () => randomBytes(10).toString('hex');

/** Store the split once and mark the reply as being sent; a reply that has parts keeps them. An empty split ends it. */
export function beginReply(
  db: Database,
  replyId: number,
  parts: readonly PartContent[],
): Promise<readonly OutboxPart[]> {
  return transaction(db, async (tx) => {
    const reply = await runOne<{ session_id: string }>(
      tx,
      sql`UPDATE outbox SET state = 'sending' WHERE id = ${replyId} AND state IN ('open', 'pending', 'sending')
        RETURNING session_id`,
      'outbox_begin',
    );
    if (reply === null) throw noSuch('reply', replyId);
    const stored = await readParts(tx, reply.session_id, replyId);
    if (stored.length > 0) return stored.map(toPart);
    await insertParts(tx, { sessionId: reply.session_id, replyId, from: 0 }, parts);
    if (parts.length === 0) {
      await run(tx, sql`UPDATE outbox SET state = 'sent', finished_at = now() WHERE id = ${replyId}`);
    }
    return (await readParts(tx, reply.session_id, replyId)).map(toPart);
  });
}

/** Put others in place of the parts that are not out; those that are keep their place and their receipts. */
export function replaceRest(
  db: Database,
  replyId: number,
  parts: readonly PartContent[],
): Promise<readonly OutboxPart[]> {
  return transaction(db, async (tx) => {
    const reply = await runOne<{ session_id: string }>(
      tx,
      sql`UPDATE outbox SET state = 'sending' WHERE id = ${replyId} AND state IN ('pending', 'sending')
        RETURNING session_id`,
      'outbox_replace',
    );
    if (reply === null) throw noSuch('reply', replyId);
    const { session_id: sessionId } = reply;
    await run(
      tx,
      sql`DELETE FROM outbox_parts WHERE session_id = ${sessionId} AND reply_id = ${replyId}
        AND state IN ('pending', 'sending')`,
      'outbox_drop_rest',
    );
    const out = await readParts(tx, sessionId, replyId);
    await insertParts(tx, { sessionId, replyId, from: (out.at(-1)?.position ?? -1) + 1 }, parts);
    return (await readParts(tx, sessionId, replyId)).map(toPart);
  });
}

async function insertParts(
  tx: Transaction,
  { sessionId, replyId, from }: { sessionId: string; replyId: number; from: number },
  parts: readonly PartContent[],
): Promise<void> {
  const texts = parts.map(({ text }) => text);
  const forms = parts.map(({ form }) => (form === undefined ? null : JSON.stringify(form)));
  await run(
    tx,
    sql`INSERT INTO outbox_parts (session_id, reply_id, position, text, form, nonce)
      SELECT ${sessionId}, ${replyId}, ${from}::int + part.position - 1, part.text, part.form::jsonb, part.nonce
      FROM unnest(${sql.param(texts)}::text[], ${sql.param(forms)}::text[], ${sql.param(parts.map(newNonce))}::text[])
        WITH ORDINALITY AS part (text, form, nonce, position)`,
    'outbox_split',
  );
}

function readParts(
  executor: Parameters<typeof run>[0],
  sessionId: string,
  replyId: number,
): Promise<PartRecord[]> {
  return run<PartRecord>(
    executor,
    sql`SELECT id, reply_id, position, text, form, state, attempts, nonce, may_be_out FROM outbox_parts
      WHERE session_id = ${sessionId} AND reply_id = ${replyId} ORDER BY position`,
    'outbox_read_parts',
  );
}
