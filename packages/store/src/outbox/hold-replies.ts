/** Waits, refusals and places that went away. */
import { accountKey, type ChatTarget, type Hold, type OutboxStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type ChatTargetRecord, chatTargetColumns, toChatTarget } from '../chat-target.ts';
import { type Database, run, runOne } from '../database.ts';

type AfterReplyId<Method extends 'fail'> =
  Parameters<OutboxStore[Method]> extends [number, ...infer Rest] ? Rest : never;

/**
 * Back to pending. `reply` waits itself and counts as a failed attempt; `chat` and `account` hold everything back that
 * goes there, cost no attempt and never shorten a longer wait. A part on its way was refused, so it is pending again;
 * one that may have arrived stays `sending`.
 */
export async function holdReply(db: Database, replyId: number, hold: Hold): Promise<void> {
  const { waitMs, gate, partMayBeOut = false } = hold;
  const until = sql`now() + ${waitMs}::float8 * interval '1 millisecond'`;
  await run(
    db,
    sql`WITH held AS (
        UPDATE outbox SET state = 'pending',
          attempts = attempts + CASE WHEN ${gate} = 'reply' THEN 1 ELSE 0 END,
          not_before = CASE WHEN ${gate} = 'reply' THEN ${until} ELSE not_before END
        WHERE id = ${replyId} AND state IN ('pending', 'sending')
        RETURNING session_id, id, chat_row_id, account
      ), parts AS (
        UPDATE outbox_parts part SET state = 'pending' FROM held
        WHERE part.session_id = held.session_id AND part.reply_id = held.id AND part.state = 'sending' AND NOT ${partMayBeOut}::boolean
      ), chat_gate AS (
        UPDATE chats chat SET gate_until = greatest(chat.gate_until, ${until}) FROM held
        WHERE ${gate} = 'chat'
          AND chat.id = (SELECT coalesce(named.alias_of, named.id) FROM chats named WHERE named.id = held.chat_row_id)
      )
      INSERT INTO account_gates (account, gate_until)
      SELECT held.account, ${until} FROM held WHERE ${gate} = 'account'
      ON CONFLICT (account) DO UPDATE SET gate_until = greatest(account_gates.gate_until, excluded.gate_until)`,
    'outbox_hold',
  );
}

/** Hold everything back that goes to a chat or leaves an account; a longer wait stays. */
export async function closeGate(
  db: Database,
  chat: ChatTarget,
  { waitMs, gate }: Parameters<OutboxStore['closeGate']>[1],
): Promise<void> {
  const until = sql`now() + ${waitMs}::float8 * interval '1 millisecond'`;
  await run(
    db,
    gate === 'chat'
      ? sql`UPDATE chats SET gate_until = greatest(gate_until, ${until}) WHERE id = ${chat.chatRowId}`
      : sql`INSERT INTO account_gates (account, gate_until) VALUES (${accountKey(chat.account)}, ${until})
          ON CONFLICT (account) DO UPDATE SET gate_until = greatest(account_gates.gate_until, excluded.gate_until)`,
  );
}

/** The chat where something may be sent now; null: a gate is shut, or it cannot be reached, or is not known. */
export async function openChat(
  db: Database,
  ...[account, place]: Parameters<OutboxStore['openChat']>
): Promise<ChatTarget | null> {
  const record = await runOne<ChatTargetRecord>(
    db,
    sql`SELECT ${chatTargetColumns} FROM chats named JOIN chats c ON c.id = coalesce(named.alias_of, named.id)
      LEFT JOIN account_gates gate ON gate.account = ${accountKey(account)}
      WHERE named.platform = ${account.platform} AND named.account = ${account.id} AND named.chat_id = ${place.chatId}
        AND named.thread_id = ${place.threadId} AND c.unreachable_at IS NULL
        AND coalesce(greatest(c.gate_until, gate.gate_until) <= now(), true)`,
    'outbox_open_chat',
  );
  return record && toChatTarget(record);
}

/** Close a reply that will not be sent; parts that went out keep their receipts. */
export async function failReply(
  db: Database,
  replyId: number,
  ...[state, problem]: AfterReplyId<'fail'>
): Promise<void> {
  await run(
    db,
    sql`UPDATE outbox SET state = ${state}, problem = ${problem}, finished_at = now()
      WHERE id = ${replyId} AND state IN ('open', 'pending', 'sending', 'cancelled')`,
    'outbox_fail',
  );
}

/** Nothing can be sent there any more: remember it on the chat and cancel what waits for it. */
export async function markUnreachable(db: Database, chatRowId: number, problem: string): Promise<void> {
  await run(
    db,
    sql`WITH chat AS (
        UPDATE chats SET unreachable_at = now(), unreachable_problem = ${problem}
        WHERE id = ${chatRowId} OR alias_of = ${chatRowId} RETURNING id
      )
      UPDATE outbox SET state = 'cancelled', problem = ${problem}, finished_at = now()
      FROM chat WHERE outbox.chat_row_id = chat.id AND outbox.state IN ('pending', 'sending')`,
    'chat_unreachable',
  );
}
