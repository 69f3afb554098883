/** The transcript, its search pieces and large contents. `messages` and `message_search` are 16 hash partitions. */
import { sql } from 'drizzle-orm';
import {
  bigint,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core';
import type { Part } from '@palimpsest/core';
import { bit, bytea, moment, tsvector, whole } from './column-types.ts';
import { sessions } from './sessions.ts';

/** Identity columns on partitioned tables need Postgres 17; a sequence works everywhere. */
export const messageIds = pgSequence('message_ids', { cache: 1 });

/**
 * live active 1, compacted 0 · archived active 0, compacted 1 · withdrawn active 0, compacted 0.
 * No GIN index here: it makes a compaction 200 times slower (measured).
 */
export const messages = pgTable(
  'messages',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    id: bigint('id', { mode: 'number' })
      .notNull()
      .default(sql`nextval('message_ids')`),
    seq: whole('seq').notNull(),
    role: text('role').notNull(),
    kind: text('kind').notNull(),
    senderId: text('sender_id'),
    senderName: text('sender_name'),
    sentAt: moment('sent_at').notNull(),
    /** Derived rows carry no turn, step or part. */
    turnId: text('turn_id'),
    step: integer('step'),
    part: integer('part'),
    parts: jsonb('parts').$type<Part[]>().notNull(),
    toolCallId: text('tool_call_id'),
    toolCallIds: text('tool_call_ids')
      .array()
      .notNull()
      .default(sql`'{}'`),
    tokens: integer('tokens').notNull(),
    active: bit('active').notNull().default(1),
    compacted: bit('compacted').notNull().default(0),
    /** The compaction that took the row out of the prompt. */
    archivedBy: whole('archived_by'),
    /** The row of this session that this one stands for; no foreign key. */
    replaces: whole('replaces'),
    platformMessageId: text('platform_message_id'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.id] }),
    unique('messages_seq').on(table.sessionId, table.seq),
    unique('messages_step').on(table.sessionId, table.turnId, table.step, table.part),
    index('messages_live')
      .on(table.sessionId, table.seq)
      .where(sql`active = 1`),
    index('messages_archived_by')
      .on(table.sessionId, table.archivedBy)
      .where(sql`archived_by IS NOT NULL`),
  ],
);

/**
 * Pieces of a row's searchable text. `tsv` is written by search/tokens.ts: words, CJK pairs and one lexeme naming the
 * session, so that the GIN index alone finds a session's hits among all others.
 */
export const messageSearch = pgTable(
  'message_search',
  {
    sessionId: text('session_id').notNull(),
    messageId: whole('message_id').notNull(),
    piece: integer('piece').notNull(),
    tsv: tsvector('tsv').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.messageId, table.piece] }),
    index('message_search_tsv').using('gin', table.tsv),
  ],
);

/** Large contents beside the transcript, once a session; `id` is the sha256 of the content in hex. */
export const payloads = pgTable(
  'payloads',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    id: text('id').notNull(),
    mime: text('mime').notNull(),
    bytes: whole('bytes').notNull(),
    content: bytea('content').notNull(),
    exploration: text('exploration'),
    createdAt: moment('created_at').notNull().defaultNow(),
    /** Since then `content` is empty: retention took the bytes. */
    sweptAt: moment('swept_at'),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.id] })],
);
