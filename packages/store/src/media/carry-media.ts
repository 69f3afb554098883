/** payloads: files of messages that wait go along when their session is left for another. */
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';

/** The mail is moved already. Copies: what was read stays where it was read. */
export async function carryMedia(tx: Transaction, fromId: string, toId: string): Promise<void> {
  await run(
    tx,
    sql`INSERT INTO payloads (session_id, id, mime, bytes, content, exploration)
        SELECT ${toId}::text, p.id, p.mime, p.bytes, p.content, p.exploration FROM payloads p
        WHERE p.session_id = ${fromId} AND p.id IN (
          SELECT jsonb_path_query(b.content, '$.message.media[*].state.payloadId') #>> '{}' FROM mailbox b
          WHERE b.session_id = ${toId} AND b.state = 'pending' AND b.kind = 'message' AND b.content->'message' ? 'media')
        ON CONFLICT (session_id, id) DO NOTHING`,
    'carry_media',
  );
}
