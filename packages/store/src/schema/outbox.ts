/** Replies on their way out. */
import { sql } from 'drizzle-orm';
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import type { Interaction, OutgoingFile, PartForm } from '@palimpsest/core';
import { moment, whole } from './column-types.ts';
import { sessions } from './sessions.ts';

/**
 * One logical reply. States: open (a preview is out), pending, sending → sent, failed, unknown, dead, cancelled.
 * `key` makes a repeated attempt write it once.
 */
export const outbox = pgTable(
  'outbox',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    id: whole('id').generatedAlwaysAsIdentity(),
    key: text('key').notNull(),
    /** core's accountKey, for the sender of one account. */
    account: text('account').notNull(),
    chatRowId: whole('chat_row_id').notNull(),
    /** final, notice */
    kind: text('kind').notNull(),
    state: text('state').notNull().default('pending'),
    text: text('text').notNull(),
    replyToMessageId: text('reply_to_message_id'),
    turnId: text('turn_id'),
    /** The reply is a file; its text is the caption. */
    file: jsonb('file').$type<OutgoingFile | null>(),
    /** The slash command that it answers, while its token lives. */
    interaction: jsonb('interaction').$type<Interaction>(),
    attempts: integer('attempts').notNull().default(0),
    notBefore: moment('not_before').notNull().defaultNow(),
    problem: text('problem'),
    createdAt: moment('created_at').notNull().defaultNow(),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.id] }),
    unique('outbox_key').on(table.sessionId, table.key),
    index('outbox_id').on(table.id),
    index('outbox_chat').on(table.chatRowId, table.id),
    index('outbox_unfinished')
      .on(table.account, table.chatRowId, table.id)
      .where(sql`state IN ('open', 'pending', 'sending')`),
    // The end of a turn asks for its previews; there are few at any time, whatever waits to be sent.
    index('outbox_open')
      .on(table.sessionId)
      .where(sql`state = 'open'`),
    index('outbox_due')
      .on(table.notBefore)
      .where(sql`state IN ('pending', 'sending')`),
    index('outbox_trouble')
      .on(table.state)
      .where(sql`state IN ('unknown', 'dead', 'failed')`),
  ],
);

/** The split of a reply, sent in order. States: pending, sending, sent, unknown. */
export const outboxParts = pgTable(
  'outbox_parts',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    replyId: whole('reply_id').notNull(),
    position: integer('position').notNull(),
    id: whole('id').generatedAlwaysAsIdentity(),
    text: text('text').notNull(),
    /** How the text is formatted, or that it goes out as a file. */
    form: jsonb('form').$type<PartForm | null>(),
    state: text('state').notNull().default('pending'),
    attempts: integer('attempts').notNull().default(0),
    /** At most 25 characters, stable over retries. */
    nonce: text('nonce').notNull(),
    /** A former send may have arrived: its answer was lost, or its sender died before the receipt. */
    mayBeOut: boolean('may_be_out').notNull().default(false),
    platformMessageId: text('platform_message_id'),
    sentAt: moment('sent_at'),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.replyId, table.position] }),
    index('outbox_parts_id').on(table.id),
  ],
);
