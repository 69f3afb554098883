/** signals: /stop, /status and /queue, past the mailbox. */
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import type { Accepted } from './write-mailbox.ts';

export async function writeSignals(tx: Transaction, fresh: readonly Accepted[]): Promise<void> {
  const signals = fresh.flatMap(({ verdict, place }) =>
    verdict.kind === 'signal'
      ? [
          {
            session_id: place.sessionId,
            kind: verdict.signal,
            chat_row_id: place.chatRowId,
            interaction: verdict.content.interaction ?? null,
          },
        ]
      : [],
  );
  if (signals.length === 0) return;
  tx.notices.add(signals.map((signal) => ({ kind: 'signal', sessionId: signal.session_id })));
  await run(
    tx,
    sql`INSERT INTO signals (session_id, kind, chat_row_id, interaction)
          SELECT r.session_id, r.kind, r.chat_row_id, r.interaction
          FROM jsonb_to_recordset(${JSON.stringify(signals)}::jsonb) AS r(session_id text, kind text, chat_row_id bigint,
                 interaction jsonb)`,
    'write_signals',
  );
}
