/** The lossless engine: nodes of the summary graph, what they cover, and which of them stand in the context. */
import { sql } from 'drizzle-orm';
import {
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { bit, moment, tsvector, whole } from './column-types.ts';
import { sessions } from './sessions.ts';
import { payloads } from './transcript.ts';

const sessionId = () =>
  text('session_id')
    .notNull()
    .references(() => sessions.id, { onDelete: 'cascade' });

/** Nodes never change but for `superseded_by` and stay for ever, in the context or not. */
export const lcmSummaries = pgTable(
  'lcm_summaries',
  {
    sessionId: sessionId(),
    /** `sum_` + hash of depth, sources and content: a repeat writes nothing. */
    id: text('id').notNull(),
    /** leaf, condensed */
    kind: text('kind').notNull(),
    depth: integer('depth').notNull(),
    content: text('content').notNull(),
    tokens: integer('tokens').notNull(),
    earliestAt: moment('earliest_at').notNull(),
    latestAt: moment('latest_at').notNull(),
    descendantCount: integer('descendant_count').notNull(),
    descendantTokens: whole('descendant_tokens').notNull(),
    sourceMessageTokens: whole('source_message_tokens').notNull(),
    fileIds: text('file_ids').array().notNull(),
    provider: text('provider'),
    model: text('model'),
    /** normal, aggressive, fallback, capped */
    escalation: text('escalation').notNull(),
    supersededBy: text('superseded_by'),
    /** Written by search/tokens.ts like that of a message. */
    tsv: tsvector('tsv').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.id] }),
    index('lcm_summaries_tsv').using('gin', table.tsv),
    check('lcm_summaries_shape', sql`(kind = 'leaf' AND depth = 0) OR (kind = 'condensed' AND depth > 0)`),
  ],
);

/**
 * Leaf → the messages it covers, in order. The keys are checked at the commit (migration), so that a session is deleted
 * in one statement. A message under a leaf cannot be deleted alone: a trigger on messages sees to it (migration), because a
 * foreign key into partitions costs 20 microseconds an edge, most of what a leaf costs (measured).
 */
export const lcmSummaryMessages = pgTable(
  'lcm_summary_messages',
  {
    sessionId: text('session_id').notNull(),
    summaryId: text('summary_id').notNull(),
    ord: integer('ord').notNull(),
    messageId: whole('message_id').notNull(),
    /** Which compaction had archived the row before the engine was left; an undo of that gives it back. */
    wasArchivedBy: whole('was_archived_by'),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.summaryId, table.ord] }),
    unique('lcm_summary_messages_message').on(table.sessionId, table.messageId, table.summaryId),
    // Nearly always empty: an undo asks whether the engine was left.
    index('lcm_summary_messages_left')
      .on(table.sessionId, table.messageId)
      .where(sql`was_archived_by IS NOT NULL`),
    foreignKey({
      name: 'lcm_summary_messages_summary',
      columns: [table.sessionId, table.summaryId],
      foreignColumns: [lcmSummaries.sessionId, lcmSummaries.id],
    }).onDelete('cascade'),
  ],
);

/** Condensed node → the older nodes it was made from, in order. */
export const lcmSummarySources = pgTable(
  'lcm_summary_sources',
  {
    sessionId: text('session_id').notNull(),
    summaryId: text('summary_id').notNull(),
    ord: integer('ord').notNull(),
    sourceSummaryId: text('source_summary_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.summaryId, table.ord] }),
    unique('lcm_summary_sources_source').on(table.sessionId, table.sourceSummaryId, table.summaryId),
    foreignKey({
      name: 'lcm_summary_sources_summary',
      columns: [table.sessionId, table.summaryId],
      foreignColumns: [lcmSummaries.sessionId, lcmSummaries.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'lcm_summary_sources_from',
      columns: [table.sessionId, table.sourceSummaryId],
      foreignColumns: [lcmSummaries.sessionId, lcmSummaries.id],
    }),
  ],
);

/**
 * Summaries in the context; a live message is its own item. live active 1 · replaced active 0, archived_by set ·
 * taken back active 0, archived_by null.
 */
export const lcmContextItems = pgTable(
  'lcm_context_items',
  {
    sessionId: sessionId(),
    id: whole('id').generatedAlwaysAsIdentity(),
    /** Seq of the first message under it; never renumbered. */
    ordinal: whole('ordinal').notNull(),
    summaryId: text('summary_id').notNull(),
    tokens: integer('tokens').notNull(),
    active: bit('active').notNull().default(1),
    createdBy: whole('created_by').notNull(),
    archivedBy: whole('archived_by'),
  },
  (table) => [
    // No primary key: nothing looks an item up by its id, and its check was a third of what an item costs that is replaced.
    index('lcm_context_items_archived').on(table.sessionId, table.archivedBy),
    uniqueIndex('lcm_context_items_ordinal')
      .on(table.sessionId, table.ordinal)
      .where(sql`active = 1`),
    uniqueIndex('lcm_context_items_summary')
      .on(table.sessionId, table.summaryId)
      .where(sql`active = 1`),
    foreignKey({
      name: 'lcm_context_items_node',
      columns: [table.sessionId, table.summaryId],
      foreignColumns: [lcmSummaries.sessionId, lcmSummaries.id],
    }),
  ],
);

/** New chapters: from which seq on the context must cover every message. An undo takes the row away. */
export const lcmChapters = pgTable(
  'lcm_chapters',
  {
    sessionId: sessionId(),
    compactionId: whole('compaction_id').notNull(),
    boundarySeq: whole('boundary_seq').notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.compactionId] })],
);

/** What is known of a payload beside its bytes. `id` is `file_` + the first 16 digits of the payload's. */
export const lcmFiles = pgTable(
  'lcm_files',
  {
    sessionId: sessionId(),
    id: text('id').notNull(),
    payloadId: text('payload_id').notNull(),
    name: text('name').notNull(),
    mime: text('mime').notNull(),
    lines: whole('lines').notNull(),
    tokens: whole('tokens').notNull(),
    exploration: text('exploration').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.id] }),
    unique('lcm_files_payload').on(table.sessionId, table.payloadId),
    foreignKey({
      name: 'lcm_files_content',
      columns: [table.sessionId, table.payloadId],
      foreignColumns: [payloads.sessionId, payloads.id],
    }),
  ],
);
