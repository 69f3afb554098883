/** payloads: the bytes of old files go; the row stays as the mark that there was one, and what rows say of it stays too. */
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';
import { isInMail } from '../erase/erased-mail.ts';

/** One sweep never holds locks for long; the next one goes on. */
const filesAtOnce = 1_000;

/**
 * Empty the files older than `days` that are no text, unless a live row of their session, or of one that was rotated from
 * it, shows them, a message that waits brings them, or a reply on its way sends them. How many were emptied.
 */
export async function emptyMedia(db: Database, days: number): Promise<number> {
  const emptied = await run(
    db,
    sql`WITH RECURSIVE old AS (
          SELECT session_id, id FROM payloads
          WHERE swept_at IS NULL AND created_at < now() - ${days}::int * interval '1 day'
            AND mime NOT LIKE 'text/%' AND mime NOT LIKE '%json%' AND mime NOT LIKE '%xml%'
        ), line AS (
          SELECT DISTINCT session_id AS root, session_id AS id FROM old
          UNION SELECT l.root, s.id FROM line l JOIN sessions s ON s.parent_session_id = l.id
        ), unused AS (
          SELECT p.session_id, p.id FROM old p
          WHERE NOT EXISTS (SELECT 1 FROM line l JOIN messages m ON m.session_id = l.id AND m.active = 1
              WHERE l.root = p.session_id
                AND m.parts @> jsonb_build_array(jsonb_build_object('type', 'payload', 'payloadId', p.id)))
            AND NOT EXISTS (SELECT 1 FROM line l JOIN outbox o ON o.session_id = l.id
              WHERE l.root = p.session_id AND o.state IN ('pending', 'sending') AND o.file ->> 'payloadId' = p.id)
            AND NOT ${isInMail(sql`p.session_id`, sql`p.id`)}
          LIMIT ${filesAtOnce}::int
        )
        UPDATE payloads p SET content = ''::bytea, swept_at = now() FROM unused u
        WHERE p.session_id = u.session_id AND p.id = u.id RETURNING 1 AS one`,
    'empty_media',
  );
  return emptied.length;
}
