/** Writing half of the outbox: what a reply is split into. */
import { randomBytes } from 'node:crypto';
import type { OutboxPart, PartContent } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne, transaction, type Transaction } from '../database.ts';
import { type PartRecord, toPart } from './due-replies.ts';
import { noSuch } from './send-parts.ts';

/** 20 hex digits: within Discord's 25 characters, and no two installations of one bot meet. */
export const newNonce = () => randomBytes(10).toString('hex');

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
    const { session_id: sessionId } = reply;
    const stored = await readParts(tx, sessionId, replyId);
    const previews = stored.filter(isPreview);
    if (previews.length < stored.length) return stored.map(toPart);
    await dropParts(tx, { sessionId, replyId, states: ['opening', 'shown'] });
    await insertParts(tx, { sessionId, replyId, from: 0 }, takePlaces(parts, previews));
    const begun = (await readParts(tx, sessionId, replyId)).map(toPart);
    if (begun.length === 0)
      await run(tx, sql`UPDATE outbox SET state = 'sent', finished_at = now() WHERE id = ${replyId}`);
    return begun;
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
    const stored = await readParts(tx, sessionId, replyId);
    const isOut = ({ state }: PartRecord): boolean => state === 'sent' || state === 'unknown';
    const places = stored.filter((part) => !isOut(part) && part.platform_message_id !== null);
    await dropParts(tx, { sessionId, replyId, states: ['pending', 'sending'] });
    const from = (stored.findLast(isOut)?.position ?? -1) + 1;
    await insertParts(tx, { sessionId, replyId, from }, takePlaces(parts, places));
    return (await readParts(tx, sessionId, replyId)).map(toPart);
  });
}

/** A part to store, and the preview whose message, nonce and doubt it takes over. */
type PlacedPart = PartContent & { place?: PartRecord };

function isPreview({ state }: PartRecord): boolean {
  return state === 'opening' || state === 'shown';
}

/** Each text takes the message of a preview, in order; messages that are left over are to be taken away: no text. */
function takePlaces(parts: readonly PartContent[], previews: readonly PartRecord[]): PlacedPart[] {
  const left = [...previews];
  const placed = parts.map((part): PlacedPart => {
    const isFile = part.form?.kind === 'file' || part.form?.kind === 'payload';
    const place = isFile ? undefined : left.shift();
    return place === undefined ? part : { ...part, place };
  });
  // Of one that may be out nothing is known by which it could be taken away.
  const surplus = left.filter((preview) => preview.platform_message_id !== null);
  return [...placed, ...surplus.map((place) => ({ text: '', place }))];
}

async function dropParts(
  tx: Transaction,
  { sessionId, replyId, states }: { sessionId: string; replyId: number; states: readonly string[] },
): Promise<void> {
  await run(
    tx,
    sql`DELETE FROM outbox_parts WHERE session_id = ${sessionId} AND reply_id = ${replyId}
      AND state = ANY(${sql.param(states)}::text[])`,
    'outbox_drop_parts',
  );
}

async function insertParts(
  tx: Transaction,
  { sessionId, replyId, from }: { sessionId: string; replyId: number; from: number },
  parts: readonly PlacedPart[],
): Promise<void> {
  const rows = parts.map(({ text, form = null, place }) => ({
    text,
    form,
    nonce: place?.nonce ?? newNonce(),
    message_id: place?.platform_message_id ?? null,
    may_be_out: place?.state === 'opening' && place.platform_message_id === null,
  }));
  await run(
    tx,
    sql`INSERT INTO outbox_parts (session_id, reply_id, position, text, form, nonce, platform_message_id, may_be_out)
      SELECT ${sessionId}, ${replyId}, ${from}::int + part.ordinality - 1, part.text, part.form, part.nonce,
        part.message_id, part.may_be_out
      FROM ROWS FROM (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS (text text, form jsonb, nonce text,
        message_id text, may_be_out boolean)) WITH ORDINALITY AS part`,
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
    sql`SELECT id, reply_id, position, text, form, state, attempts, nonce, may_be_out, platform_message_id
      FROM outbox_parts WHERE session_id = ${sessionId} AND reply_id = ${replyId} ORDER BY position`,
    'outbox_read_parts',
  );
}
