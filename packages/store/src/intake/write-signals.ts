/** signals: /stop, /status and /queue, past the mailbox; and that a command waits which ends what runs. */
import { cleanText, type SignalKind } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { urgentCommands } from './judge.ts';
import type { Accepted } from './write-mailbox.ts';

/** Names of modes are shorter; the rest is nobody's setting. */
const longestArgument = 32;

export async function writeSignals(tx: Transaction, fresh: readonly Accepted[]): Promise<void> {
  const signals = fresh.flatMap((accepted) => {
    const kind = signalOf(accepted);
    if (kind === null) return [];
    const { verdict, place } = accepted;
    return [{ session_id: place.sessionId, kind, chat_row_id: place.chatRowId, ...whatWasAsked(verdict) }];
  });
  if (signals.length === 0) return;
  tx.notices.add(signals.map((signal) => ({ kind: 'signal', sessionId: signal.session_id })));
  await run(
    tx,
    sql`INSERT INTO signals (session_id, kind, chat_row_id, sender_id, argument, interaction)
          SELECT r.session_id, r.kind, r.chat_row_id, r.sender_id, r.argument, r.interaction
          FROM jsonb_to_recordset(${JSON.stringify(signals)}::jsonb) AS r(session_id text, kind text, chat_row_id bigint,
                 sender_id text, argument text, interaction jsonb)`,
    'write_signals',
  );
}

/** What makes way for a command has a row of its own in the mailbox, which carries the rest. */
function whatWasAsked(verdict: Accepted['verdict']) {
  if (verdict.kind !== 'signal') return { sender_id: '', argument: '', interaction: null };
  const { sender, command, interaction = null } = verdict.content;
  const argument = cleanText(command?.argument ?? '').slice(0, longestArgument);
  return { sender_id: sender.id, argument, interaction };
}

function signalOf({ verdict }: Accepted): SignalKind | null {
  if (verdict.kind === 'signal') return verdict.signal;
  if (verdict.kind !== 'command') return null;
  return urgentCommands.includes(verdict.content.command?.name ?? '') ? 'make_way' : null;
}
