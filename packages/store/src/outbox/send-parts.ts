/** Writing half of the outbox: what became of each part. */
import { GatewayError, type OutboxPart } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne } from '../database.ts';

/** Committed before the request goes out, so that a crash leaves `sending` and the next sender knows. */
export async function partSending(
  db: Database,
  { id, attempts }: Pick<OutboxPart, 'id' | 'attempts'>,
): Promise<void> {
  const part = await runOne(
    db,
    sql`UPDATE outbox_parts SET state = 'sending', attempts = attempts + 1
      WHERE id = ${id} AND attempts = ${attempts}::int AND state IN ('pending', 'sending') RETURNING id`,
    'outbox_part_sending',
  );
  if (part === null) throw noSuch('part', id);
}

/** Store the receipt; the last part closes its reply. A remark stays with the reply. */
export async function partSent(
  db: Database,
  partId: number,
  ...[platformMessageId, remark]: [platformMessageId: string, remark?: string]
): Promise<void> {
  if (remark !== undefined)
    await run(
      db,
      sql`UPDATE outbox reply SET problem = ${remark} FROM outbox_parts part
        WHERE part.id = ${partId} AND reply.session_id = part.session_id AND reply.id = part.reply_id`,
      'outbox_remark',
    );
  await partIsOut(db, partId, { state: 'sent', platformMessageId });
}

/** The answer was lost: send again, knowing that it may be out already, or count it as out and let the reply go on. */
export async function partUnknown(db: Database, partId: number, sendAgain: boolean): Promise<void> {
  if (!sendAgain) return partIsOut(db, partId, { state: 'unknown', platformMessageId: null });
  await run(
    db,
    sql`UPDATE outbox_parts SET state = 'pending', may_be_out = true WHERE id = ${partId} AND state = 'sending'`,
  );
}

/** The message that stood in the part's place is gone; the part is a message of its own again. */
export async function forgetMessage(db: Database, partId: number): Promise<void> {
  await run(
    db,
    sql`UPDATE outbox_parts SET platform_message_id = NULL, state = 'pending'
      WHERE id = ${partId} AND state IN ('pending', 'sending')`,
    'outbox_forget_message',
  );
}

/** One statement: part closed, and the reply with it when no other part is left; pages that wait for it are told. */
async function partIsOut(
  db: Database,
  partId: number,
  result: { state: 'sent' | 'unknown'; platformMessageId: string | null },
): Promise<void> {
  const part = await runOne<{ id: number; chat_row_id: number | null; account: string | null }>(
    db,
    sql`WITH done AS (
        UPDATE outbox_parts SET state = ${result.state}, platform_message_id = ${result.platformMessageId}, sent_at = now()
        WHERE id = ${partId} RETURNING session_id, reply_id, id, state, may_be_out
      ), others AS (
        SELECT count(*) FILTER (WHERE part.state IN ('pending', 'sending')) AS open,
          count(*) FILTER (WHERE part.state = 'unknown' OR part.may_be_out) AS unknown
        FROM done JOIN outbox_parts part USING (session_id, reply_id) WHERE part.id <> done.id
      ), closed AS (
        UPDATE outbox reply SET finished_at = now(),
          state = CASE WHEN others.unknown > 0 OR done.state = 'unknown' OR done.may_be_out THEN 'unknown' ELSE 'sent' END
        FROM done, others
        WHERE others.open = 0 AND reply.session_id = done.session_id AND reply.id = done.reply_id
          AND reply.state IN ('pending', 'sending')
        RETURNING reply.chat_row_id, reply.account
      )
      SELECT done.id, closed.chat_row_id, closed.account FROM done LEFT JOIN closed ON true`,
    'outbox_part_out',
  );
  if (part === null) throw noSuch('part', partId);
  const { chat_row_id: chatRowId, account } = part;
  if (chatRowId !== null && account !== null) db.notices.add([{ kind: 'reply', chatRowId, account }]);
}

export function noSuch(what: 'reply' | 'part', id: number): GatewayError {
  return new GatewayError(
    'row_missing',
    `outbox ${what} ${id} is not there or no longer waits; read what is due again`,
  );
}
