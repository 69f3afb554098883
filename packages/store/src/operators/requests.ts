/** mailbox: what operators want done to a session; its lease holder does it. */
import { type Command, GatewayError, type OperatorRequest, type RequestState } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne, transaction, type Transaction } from '../database.ts';

interface Target {
  chat_row_id: number;
  seq: number;
  closed_at: Date | null;
}

export function writeRequest(db: Database, sessionId: string, command: Command): Promise<OperatorRequest> {
  return transaction(db, (tx) => insertRequest(tx, sessionId, command));
}

export async function insertRequest(
  tx: Transaction,
  sessionId: string,
  command: Command,
): Promise<OperatorRequest> {
  const target = await runOne<Target>(
    tx,
    sql`UPDATE sessions s SET next_mailbox_seq = s.next_mailbox_seq + 1
        FROM chats c WHERE s.id = ${sessionId} AND c.id = s.chat_row_id
        RETURNING coalesce(c.alias_of, c.id) AS chat_row_id, s.next_mailbox_seq - 1 AS seq, s.closed_at`,
  );
  if (target === null)
    throw new GatewayError('row_missing', `there is no session ${sessionId}; \`session list\` shows them`);
  if (target.closed_at !== null)
    throw new GatewayError(
      'input_invalid',
      `session ${sessionId} ended at ${target.closed_at.toISOString()}; its chat goes on in another one, see \`session list\``,
    );
  const content = { kind: 'operator', command };
  await run(
    tx,
    sql`INSERT INTO mailbox (session_id, seq, chat_row_id, kind, content)
        VALUES (${sessionId}, ${target.seq}::bigint, ${target.chat_row_id}::bigint, 'operator', ${JSON.stringify(content)}::jsonb)`,
  );
  tx.notices.add([{ kind: 'mailbox', sessionId }]);
  return { sessionId, seq: target.seq };
}

export async function requestState(db: Database, request: OperatorRequest): Promise<RequestState> {
  const row = await runOne<RequestState>(
    db,
    sql`SELECT state, answer FROM mailbox WHERE session_id = ${request.sessionId} AND seq = ${request.seq}::bigint`,
  );
  return row ?? { state: 'gone', answer: null };
}

export async function withdrawRequest(db: Database, request: OperatorRequest): Promise<boolean> {
  const row = await runOne(
    db,
    sql`UPDATE mailbox SET state = 'withdrawn', reason = 'taken_back', done_at = now()
        WHERE session_id = ${request.sessionId} AND seq = ${request.seq}::bigint AND state = 'pending' AND kind = 'operator'
        RETURNING seq`,
  );
  return row !== null;
}
