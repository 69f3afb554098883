/** The ledger, plans made ahead, events and who hears them. */
import { sql } from 'drizzle-orm';
import {
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core';
import type { CompactionFigures, CompactionPlan, GatewayEvent } from '@palimpsest/core';
import { moment, whole } from './column-types.ts';
import { sessions } from './sessions.ts';

/** One row an attempt, skipped and failed ones too. `outcome` null = under way. */
export const compactions = pgTable(
  'compactions',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    id: whole('id').generatedAlwaysAsIdentity(),
    epochBefore: whole('epoch_before').notNull(),
    epochAfter: whole('epoch_after'),
    engine: text('engine').notNull(),
    inPlace: boolean('in_place').notNull().default(true),
    /** The session that was left in a rotation; '' in place. */
    oldSessionId: text('old_session_id').notNull().default(''),
    layer: text('layer').notNull(),
    trigger: text('trigger').notNull(),
    /** full, local or prune; null: no engine was asked. */
    strategy: text('strategy'),
    outcome: text('outcome'),
    reason: text('reason').notNull().default('none'),
    windowTokens: integer('window_tokens').notNull(),
    windowSource: text('window_source').notNull(),
    thresholdRaw: doublePrecision('threshold_raw').notNull(),
    triggerTokens: integer('trigger_tokens').notNull(),
    mainModel: text('main_model').notNull(),
    summaryModel: text('summary_model'),
    summaryCalls: integer('summary_calls').notNull().default(0),
    startedAt: moment('started_at').notNull().defaultNow(),
    finishedAt: moment('finished_at'),
    durationMs: integer('duration_ms'),
    figures: jsonb('figures').$type<CompactionFigures | null>(),
    /** Real prompt tokens of the next model call. */
    tokensAfterConfirmed: integer('tokens_after_confirmed'),
    /** Of the prompt, what was read from the cache, 0 … 1: of the call before and of the call after. */
    cacheShareBefore: doublePrecision('cache_share_before'),
    cacheShareAfter: doublePrecision('cache_share_after'),
    /** Messages that came while it ran. */
    messagesDeferred: integer('messages_deferred'),
    /** Kept here, since an undo takes the rows back. */
    archiveFirstSeq: whole('archive_first_seq'),
    archiveLastSeq: whole('archive_last_seq'),
    previousSummaryId: whole('previous_summary_id'),
    /** Operator-readable, content-free. */
    message: text('message'),
    /** Ids of the rows it wrote: the summary under which one can look. */
    writtenRows: whole('written_rows').array(),
    userNotified: boolean('user_notified').notNull().default(false),
    /** The compaction that took this one back. */
    undoneBy: whole('undone_by'),
    /** What only one engine counts: passes, leaves, depth, debt. */
    details: jsonb('details').$type<unknown>(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.id] }),
    index('compactions_id').on(table.id),
    index('compactions_open')
      .on(table.startedAt)
      .where(sql`outcome IS NULL`),
    index('compactions_finished').on(table.finishedAt),
  ],
);

/** Plans made ahead; void when one of `row_ids` is no longer live, or by expiry. */
export const preparedCompactions = pgTable(
  'prepared_compactions',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    id: whole('id').generatedAlwaysAsIdentity(),
    engine: text('engine').notNull(),
    configHash: text('config_hash').notNull(),
    plan: jsonb('plan').$type<CompactionPlan>().notNull(),
    rowIds: whole('row_ids').array().notNull(),
    preparedAt: moment('prepared_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.id] }),
    index('prepared_compactions_expiry').on(table.expiresAt),
  ],
);

/** `session:compress` and the rest, written in the transaction they speak of. */
export const events = pgTable(
  'events',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    id: whole('id').generatedAlwaysAsIdentity(),
    type: text('type').notNull(),
    payload: jsonb('payload').$type<GatewayEvent>().notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.id] }),
    index('events_id').on(table.id),
    index('events_created').on(table.createdAt),
  ],
);

/** Who hears of which events, as the config of the worker that started last has it. `events` empty: all. */
export const hookSubscribers = pgTable('hook_subscribers', {
  name: text('name').primaryKey(),
  events: text('events').array().notNull(),
});

/** One row an event and subscriber. States: pending, done, dead, dropped. */
export const hookDeliveries = pgTable(
  'hook_deliveries',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    eventId: whole('event_id').notNull(),
    subscriber: text('subscriber').notNull(),
    state: text('state').notNull().default('pending'),
    attempts: integer('attempts').notNull().default(0),
    notBefore: moment('not_before').notNull().defaultNow(),
    problem: text('problem'),
    doneAt: moment('done_at'),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.eventId, table.subscriber] }),
    index('hook_deliveries_due')
      .on(table.subscriber, table.notBefore)
      .where(sql`state = 'pending'`),
    index('hook_deliveries_dead')
      .on(table.eventId)
      .where(sql`state = 'dead'`),
  ],
);
