/** inbox (what arrived) → mailbox (what a session has to do, in order). */
import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgTable, primaryKey, text, unique, uniqueIndex } from 'drizzle-orm/pg-core';
import type { MailboxContent } from '@palimpsest/core';
import { bytea, moment, whole } from './column-types.ts';
import { sessions } from './sessions.ts';

/** The raw update; of denied and ignored senders only key, ids and reason (`raw` null). Kept at least 7 days. */
export const inbox = pgTable(
  'inbox',
  {
    id: whole('id').primaryKey().generatedAlwaysAsIdentity(),
    platform: text('platform').notNull(),
    account: text('account').notNull(),
    updateKey: text('update_key').notNull(),
    /** Chat and message (and time of the edit): the same message by another road. Null for what is no message. */
    messageKey: text('message_key'),
    raw: bytea('raw'),
    /** stored, denied, ignored, unparsed */
    status: text('status').notNull(),
    reason: text('reason'),
    chatId: text('chat_id'),
    threadId: text('thread_id'),
    senderId: text('sender_id'),
    messageId: text('message_id'),
    sessionId: text('session_id'),
    receivedAt: moment('received_at').notNull().defaultNow(),
  },
  (table) => [
    unique('inbox_update').on(table.platform, table.account, table.updateKey),
    uniqueIndex('inbox_message')
      .on(table.platform, table.account, table.messageKey)
      .where(sql`message_key IS NOT NULL`),
    index('inbox_received').on(table.receivedAt),
    index('inbox_denied')
      .on(table.receivedAt)
      .where(sql`status = 'denied'`),
  ],
);

/**
 * States: pending → claimed → done, or dead (failed too often), or withdrawn (taken back).
 * A claimed row without `turn_id` is a command that is being carried out.
 */
export const mailbox = pgTable(
  'mailbox',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    seq: whole('seq').notNull(),
    chatRowId: whole('chat_row_id').notNull(),
    /** message, edit, command, operator */
    kind: text('kind').notNull(),
    content: jsonb('content').$type<MailboxContent>().notNull(),
    inboxId: whole('inbox_id'),
    messageId: text('message_id'),
    senderId: text('sender_id'),
    state: text('state').notNull().default('pending'),
    reason: text('reason'),
    /** What an operator's request ended with; no message's text. */
    answer: text('answer'),
    attempts: integer('attempts').notNull().default(0),
    notBefore: moment('not_before').notNull().defaultNow(),
    /** Files of the message are to be fetched, next at this time; null: none are. */
    mediaDue: moment('media_due'),
    turnId: text('turn_id'),
    /** W3C traceparent of the intake, while traces are on. */
    traceparent: text('traceparent'),
    acceptedAt: moment('accepted_at').notNull().defaultNow(),
    doneAt: moment('done_at'),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.seq] }),
    index('mailbox_open')
      .on(table.sessionId, table.seq)
      .where(sql`state IN ('pending', 'claimed')`),
    // What the sweeper reads: edits start no turn and wait without being due.
    index('mailbox_due')
      .on(table.notBefore)
      .where(sql`state = 'pending' AND kind <> 'edit'`),
    index('mailbox_command')
      .on(table.sessionId)
      .where(sql`state = 'claimed' AND turn_id IS NULL`),
    index('mailbox_media')
      .on(table.mediaDue)
      .where(sql`media_due IS NOT NULL AND state = 'pending'`),
    index('mailbox_dead')
      .on(table.sessionId)
      .where(sql`state = 'dead'`),
    index('mailbox_message').on(table.chatRowId, table.messageId),
  ],
);
