/** session_tools: what a session's prompt names of the tool servers. */
import { cleanDeep, type ServerTool, type ToolListStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne } from './database.ts';

export function createToolListStore(db: Database): ToolListStore {
  return {
    async read(sessionId) {
      const row = await runOne<{ tools: string }>(
        db,
        sql`WITH RECURSIVE line AS (
              SELECT id, parent_session_id, 0 AS depth FROM sessions WHERE id = ${sessionId}
              UNION ALL SELECT s.id, s.parent_session_id, line.depth + 1
              FROM line JOIN sessions s ON s.id = line.parent_session_id WHERE line.depth < 1000
            )
            SELECT t.tools FROM line JOIN session_tools t ON t.session_id = line.id ORDER BY line.depth LIMIT 1`,
        'read_session_tools',
      );
      return row === null ? null : (JSON.parse(row.tools) as readonly ServerTool[]);
    },
    async fix(session, tools) {
      const text = JSON.stringify(cleanDeep(tools));
      await run(
        db,
        sql`INSERT INTO session_tools (session_id, tools)
            SELECT id, ${text} FROM (
              SELECT id FROM sessions WHERE id = ${session.id} AND epoch = ${session.epoch} FOR UPDATE
            ) held
            ON CONFLICT (session_id) DO UPDATE SET tools = excluded.tools, fixed_at = now()`,
        'fix_session_tools',
      );
    },
  };
}
