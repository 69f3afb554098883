/** payloads: large contents beside the transcript. */
import type { NewPayload } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, together, type Transaction } from '../database.ts';

/** One that is there already stays as it is, unless retention took its bytes. */
export const unlessThere = sql.raw(
  `ON CONFLICT (session_id, id) DO UPDATE SET content = excluded.content, created_at = now(), swept_at = NULL
     WHERE payloads.swept_at IS NOT NULL`,
);

/** Store contents that the session does not have yet; `id` is the sha256 of the content, so equal ids are equal. */
export async function writePayloads(
  tx: Transaction,
  sessionId: string,
  payloads: readonly NewPayload[],
): Promise<void> {
  await together(() => payloads.map((payload) => writePayload(tx, sessionId, payload)));
}

function writePayload(tx: Transaction, sessionId: string, payload: NewPayload): Promise<unknown> {
  const content = Buffer.from(payload.text, payload.encoding ?? 'utf8');
  return run(
    tx,
    sql`INSERT INTO payloads (session_id, id, mime, bytes, content)
        VALUES (${sessionId}, ${payload.id}, ${payload.mime}, ${content.length}, ${content})
        ${unlessThere}`,
    'write_payload',
  );
}
