/** Payloads whole, as pictures for a model and recordings to be heard. */
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';

/** Of the session or one it was rotated from; what is gone is left out. */
export async function readContents(
  db: Database,
  sessionId: string,
  payloadIds: readonly string[],
): Promise<ReadonlyMap<string, { mime: string; bytes: Uint8Array }>> {
  if (payloadIds.length === 0) return new Map();
  const rows = await run<{ id: string; mime: string; content: Buffer }>(
    db,
    sql`WITH RECURSIVE line AS (
          SELECT id, parent_session_id FROM sessions WHERE id = ${sessionId}
          UNION SELECT s.id, s.parent_session_id FROM line JOIN sessions s ON s.id = line.parent_session_id
        )
        SELECT p.id, p.mime, p.content FROM line JOIN payloads p ON p.session_id = line.id
        WHERE p.swept_at IS NULL AND p.id = ANY(${sql.param([...payloadIds])}::text[])`,
    'read_contents',
  );
  return new Map(rows.map(({ id, mime, content }) => [id, { mime, bytes: content }]));
}
