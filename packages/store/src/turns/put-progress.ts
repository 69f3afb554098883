/** turn_progress: the text so far, for previews; may be lost. */
import { cleanText, type StoreNotice, type TurnStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, runOne } from '../database.ts';

/** One statement: no lock of the session, no transaction around it. Text of a turn that is over is not written. */
export async function putProgress(
  db: Database,
  input: Parameters<TurnStore['putProgress']>[0],
): Promise<void> {
  const { sessionId, turnId, chatRowId } = input;
  const notice: StoreNotice = { kind: 'progress', chatRowId, turnId, sessionId };
  const put = await runOne(
    db,
    sql`INSERT INTO turn_progress (session_id, turn_id, chat_row_id, text, note)
          SELECT t.session_id, t.id, ${chatRowId}::bigint, ${cleanText(input.text)}, ${cleanText(input.note)}
          FROM turns t WHERE t.session_id = ${sessionId} AND t.id = ${turnId} AND t.state = 'running'
          ON CONFLICT (session_id, turn_id)
          DO UPDATE SET text = EXCLUDED.text, note = EXCLUDED.note, updated_at = now() RETURNING 1 AS one`,
    'put_progress',
  );
  if (put !== null) db.notices.add([notice]);
}
