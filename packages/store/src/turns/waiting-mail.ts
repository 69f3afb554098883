/** mailbox: what a session has still to do. */
import type { WaitingMail } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, runOne } from '../database.ts';

interface WaitingRecord {
  messages: number;
  oldest_ms: number | null;
  commands: string[] | null;
}

/** Messages and commands that nobody has taken yet. */
export async function waitingMail(db: Database, sessionId: string): Promise<WaitingMail> {
  const row = await runOne<WaitingRecord>(
    db,
    sql`SELECT count(*) FILTER (WHERE kind = 'message')::int AS messages,
               (extract(epoch FROM now() - min(accepted_at)) * 1000)::float8 AS oldest_ms,
               array_agg(content->'command'->>'name' ORDER BY seq) FILTER (WHERE kind = 'command') AS commands
        FROM mailbox WHERE session_id = ${sessionId} AND state IN ('pending', 'claimed') AND state = 'pending'
          AND kind IN ('message', 'command')`,
    'waiting_mail',
  );
  return {
    messages: row?.messages ?? 0,
    oldestMs: Math.max(0, row?.oldest_ms ?? 0),
    commands: row?.commands ?? [],
  };
}
