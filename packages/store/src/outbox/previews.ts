/** Previews: messages that show a turn's text while it is written. Their reply is `open` until the turn is over. */
import {
  accountKey,
  turnReplyKey,
  type OutboxStore,
  type Preview,
  type WrittenSoFar,
} from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type ChatTargetRecord, chatTargetColumns, toChatTarget } from '../chat-target.ts';
import { type Database, run, runOne, transaction } from '../database.ts';
import { newNonce } from './store-parts.ts';

interface WrittenRecord extends ChatTargetRecord {
  session_id: string;
  turn_id: string;
  text: string;
  answers_message_id: string | null;
  asked_at: Date | null;
  previews: Preview[];
}

/** What a turn wrote longer ago was seen then. */
const lately = sql.raw(`interval '10 seconds'`);

/**
 * Not in a chat whose gate is shut or where a reply waits: an older answer comes first. The newest message of the turn is
 * the one that its answer points at.
 */
export async function writtenSoFar(db: Database, account: string): Promise<readonly WrittenSoFar[]> {
  const records = await run<WrittenRecord>(
    db,
    sql`SELECT turn.session_id, turn.id AS turn_id, progress.text, ${chatTargetColumns},
          (SELECT mail.message_id FROM mailbox mail
            WHERE mail.session_id = turn.session_id AND mail.turn_id = turn.id AND mail.kind = 'message'
            ORDER BY mail.seq DESC LIMIT 1) AS answers_message_id,
          (SELECT mail.accepted_at FROM mailbox mail
            WHERE mail.session_id = turn.session_id AND mail.seq = turn.first_mailbox_seq) AS asked_at,
          coalesce((SELECT jsonb_agg(jsonb_build_object('partId', part.id, 'nonce', part.nonce,
                'platformMessageId', part.platform_message_id) ORDER BY part.position)
              FROM outbox reply JOIN outbox_parts part
                ON part.session_id = reply.session_id AND part.reply_id = reply.id
              WHERE reply.session_id = turn.session_id AND reply.turn_id = turn.id AND reply.state = 'open'),
            '[]'::jsonb) AS previews
      FROM turns turn
      JOIN turn_progress progress ON progress.session_id = turn.session_id AND progress.turn_id = turn.id
      JOIN sessions session ON session.id = turn.session_id
      JOIN chats named ON named.id = turn.chat_row_id
      JOIN chats c ON c.id = coalesce(named.alias_of, named.id)
      LEFT JOIN account_gates gate ON gate.account = ${account}
      WHERE turn.state = 'running' AND session.lease_until > now()
        AND progress.text <> '' AND progress.updated_at > now() - ${lately}
        AND c.platform || '-' || c.account = ${account} AND c.unreachable_at IS NULL
        AND coalesce(greatest(c.gate_until, gate.gate_until) <= now(), true)
        AND NOT EXISTS (SELECT 1 FROM outbox waiting WHERE waiting.account = ${account}
          AND waiting.chat_row_id IN (c.id, named.id) AND waiting.state IN ('pending', 'sending'))
      ORDER BY turn.started_at`,
    'outbox_written_so_far',
  );
  return records.map((record) => ({
    sessionId: record.session_id,
    turnId: record.turn_id,
    chat: toChatTarget(record),
    text: record.text,
    answersMessageId: record.answers_message_id ?? undefined,
    ...(record.asked_at !== null && { askedAt: record.asked_at }),
    previews: record.previews,
  }));
}

/** The row of the reply is made with its first preview; one that is no longer open belongs to a turn that is over. */
export function openPreview(
  db: Database,
  of: Parameters<OutboxStore['openPreview']>[0],
): Promise<Preview | null> {
  const { sessionId, turnId, chat } = of;
  const nonce = newNonce();
  return transaction(db, async (tx) => {
    const reply = await runOne<{ id: number }>(
      tx,
      sql`INSERT INTO outbox (session_id, key, account, chat_row_id, kind, state, text, turn_id)
        SELECT turn.session_id, ${turnReplyKey(turnId)}, ${accountKey(chat.account)}, turn.chat_row_id, 'final', 'open', '',
          turn.id
        FROM turns turn WHERE turn.session_id = ${sessionId} AND turn.id = ${turnId} AND turn.state = 'running'
        ON CONFLICT (session_id, key) DO UPDATE SET turn_id = excluded.turn_id WHERE outbox.state = 'open' RETURNING id`,
      'outbox_open',
    );
    if (reply === null) return null;
    const part = await runOne<{ id: number }>(
      tx,
      sql`INSERT INTO outbox_parts (session_id, reply_id, position, text, nonce, state)
        SELECT ${sessionId}, ${reply.id}::bigint, coalesce(max(part.position) + 1, 0), '', ${nonce}, 'opening'
        FROM outbox_parts part WHERE part.session_id = ${sessionId} AND part.reply_id = ${reply.id}::bigint RETURNING id`,
      'outbox_open_part',
    );
    return { partId: part!.id, nonce, platformMessageId: null };
  });
}

/** Nothing happens when the reply was begun meanwhile: the part is another one then. */
export async function previewShown(
  db: Database,
  partId: number,
  platformMessageId: string | null,
): Promise<void> {
  await run(
    db,
    platformMessageId === null
      ? sql`DELETE FROM outbox_parts WHERE id = ${partId} AND state = 'opening'`
      : sql`UPDATE outbox_parts SET state = 'shown', platform_message_id = ${platformMessageId}
          WHERE id = ${partId} AND state = 'opening'`,
  );
}

export async function turnRuns(db: Database, sessionId: string, turnId: string): Promise<boolean> {
  const turn = await runOne(
    db,
    sql`SELECT 1 AS one FROM turns WHERE session_id = ${sessionId} AND id = ${turnId} AND state = 'running'`,
    'turn_runs',
  );
  return turn !== null;
}

export async function endedTurn(db: Database, replyId: number): ReturnType<OutboxStore['endedTurn']> {
  const turn = await runOne<{ state: 'answered' | 'stopped' | 'failed' | 'dead'; message_ids: string[] }>(
    db,
    sql`SELECT turn.state, coalesce(array_agg(mail.message_id ORDER BY mail.seq)
          FILTER (WHERE mail.kind = 'message' AND mail.message_id IS NOT NULL), '{}') AS message_ids
      FROM outbox reply
      JOIN turns turn ON turn.session_id = reply.session_id AND turn.id = reply.turn_id
      LEFT JOIN mailbox mail ON mail.session_id = turn.session_id AND mail.turn_id = turn.id
      WHERE reply.id = ${replyId} AND reply.key IN ('turn-' || turn.id, 'failure-' || turn.id, 'buried-' || turn.id) AND turn.state <> 'running'
      GROUP BY turn.state`,
    'ended_turn',
  );
  return turn && { outcome: turn.state, messageIds: turn.message_ids };
}
