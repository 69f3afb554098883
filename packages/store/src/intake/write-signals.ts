/** signals: /stop, /status and /queue, past the mailbox; and that a command waits which ends what runs. */
import type { SignalKind } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { urgentCommands } from './judge.ts';
import type { Accepted } from './write-mailbox.ts';

export async function writeSignals(tx: Transaction, fresh: readonly Accepted[]): Promise<void> {
  const signals = fresh.flatMap((accepted) => {
    const kind = signalOf(accepted);
    if (kind === null) return [];
    const { verdict, place } = accepted;
    const { interaction = null } = verdict.kind === 'signal' ? verdict.content : {};
    return [{ session_id: place.sessionId, kind, chat_row_id: place.chatRowId, interaction }];
  });
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

function signalOf({ verdict }: Accepted): SignalKind | null {
  if (verdict.kind === 'signal') return verdict.signal;
  if (verdict.kind !== 'command') return null;
  return urgentCommands.includes(verdict.content.command?.name ?? '') ? 'make_way' : null;
}
