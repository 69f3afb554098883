/** What leaves for good. */
import { GatewayError, type EraseStore, type Platform } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne, transaction } from '../database.ts';
import { writeEvents } from '../write-events.ts';
import { eraseMessage } from './erase-message.ts';
import { erasePerson } from './erase-person.ts';
import { eraseSession } from './erase-session.ts';
import { traces } from './traces.ts';

export function createEraseStore(db: Database): EraseStore {
  return {
    message: (lease, message, request) => eraseMessage(db, lease, { ...message, request }),
    session: (sessionId) => eraseSession(db, sessionId),
    person: (who, asked) => erasePerson(db, { who, asked }),
    askedBefore: (sessionId, command) => askedBefore(db, sessionId, command),
    traces: (wanted) => traces(db, wanted),
    noteExport: (sessionId) => noteExport(db, sessionId),
  };
}

function askedBefore(
  db: Database,
  sessionId: string,
  command: Parameters<EraseStore['askedBefore']>[1],
): Promise<{ seq: number; acceptedAt: Date }[]> {
  return run<{ seq: number; acceptedAt: Date }>(
    db,
    sql`SELECT seq, accepted_at AS "acceptedAt" FROM mailbox
        WHERE session_id = ${sessionId} AND kind = 'command' AND state = 'done' AND sender_id = ${command.senderId}
          AND content #>> '{command,name}' = ${command.name} AND content #>> '{command,argument}' = ''
          AND accepted_at > clock_timestamp() - ${command.withinMs}::float8 * interval '1 ms'
        ORDER BY seq DESC`,
    'asked_before',
  );
}

function noteExport(db: Database, sessionId: string): Promise<void> {
  return transaction(db, async (tx) => {
    const session = await runOne<{ platform: Platform }>(
      tx,
      sql`SELECT platform FROM sessions WHERE id = ${sessionId}`,
      'exported_session',
    );
    if (session === null)
      throw new GatewayError('row_missing', `there is no session ${sessionId}; \`session list\` shows them`);
    await writeEvents(tx, [{ type: 'session:export', sessionId, platform: session.platform }]);
  });
}
