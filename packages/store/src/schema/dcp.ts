/** The model-guided engine's state beside the transcript, which it never changes. */
import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
} from 'drizzle-orm/pg-core';
import type { DcpEvent, DcpGrant, DcpHygieneState, DcpNudgeState } from '@palimpsest/core';
import { moment, whole } from './column-types.ts';
import { sessions } from './sessions.ts';

const sessionId = () =>
  text('session_id')
    .notNull()
    .references(() => sessions.id, { onDelete: 'cascade' });
const wholes = (name: string) =>
  whole(name)
    .array()
    .notNull()
    .default(sql`'{}'`);

export const dcpSessions = pgTable('dcp_session', {
  sessionId: sessionId().primaryKey(),
  /** How this row and those of the other tables are written; a newer one than the program knows is left alone. */
  format: smallint('format').notNull().default(1),
  /** Rises with blocks, marks and resets, and with nothing else; a writer that stands on an older one is refused. */
  version: whole('version').notNull().default(0),
  generation: integer('generation').notNull().default(0),
  nextRef: whole('next_ref').notNull().default(1),
  nextBlock: whole('next_block').notNull().default(1),
  nextRun: whole('next_run').notNull().default(1),
  manualMode: boolean('manual_mode').notNull().default(false),
  pendingGrant: jsonb('pending_grant').$type<DcpGrant>(),
  nudge: jsonb('nudge').$type<DcpNudgeState>(),
  hygiene: jsonb('hygiene').$type<DcpHygieneState>(),
  compressCalls: integer('compress_calls').notNull().default(0),
  compressFailures: integer('compress_failures').notNull().default(0),
  nudges: integer('nudges').notNull().default(0),
  hygieneBlocks: integer('hygiene_blocks').notNull().default(0),
  emergencies: integer('emergencies').notNull().default(0),
  sweeps: integer('sweeps').notNull().default(0),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

/** Numbers of units, by the id of the unit's first row; both stay for good. */
export const dcpRefs = pgTable(
  'dcp_ref',
  {
    sessionId: sessionId(),
    number: whole('number').notNull(),
    unitId: whole('unit_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.number] }),
    unique('dcp_ref_unit').on(table.sessionId, table.unitId),
    check('dcp_ref_positive', sql`${table.number} > 0`),
  ],
);

export const dcpBlocks = pgTable(
  'dcp_block',
  {
    sessionId: sessionId(),
    number: whole('number').notNull(),
    run: whole('run').notNull(),
    author: text('author').notNull(),
    mode: text('mode').notNull(),
    topic: text('topic').notNull(),
    batchTopic: text('batch_topic'),
    /** '' once erased. */
    body: text('body').notNull(),
    refBlocks: wholes('ref_blocks'),
    startRef: text('start_ref').notNull(),
    endRef: text('end_ref').notNull(),
    anchorUnit: whole('anchor_unit').notNull(),
    unitIds: wholes('unit_ids'),
    consumed: wholes('consumed'),
    originTurnId: text('origin_turn_id'),
    originCallId: text('origin_call_id'),
    originHash: text('origin_hash'),
    status: text('status').notNull().default('on'),
    rawTokens: integer('raw_tokens').notNull(),
    summaryTokens: integer('summary_tokens').notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** The ledger row it came with. */
    compactionId: whole('compaction_id'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.number] }),
    check('dcp_block_positive', sql`${table.number} > 0`),
    check('dcp_block_status', sql`${table.status} IN ('on', 'user_off', 'tainted', 'reset')`),
  ],
);

export const dcpMarks = pgTable(
  'dcp_mark',
  {
    sessionId: sessionId(),
    /** The assistant row that made the call; call ids alone may come again. */
    unitId: whole('unit_id').notNull(),
    callId: text('call_id').notNull(),
    reason: text('reason').notNull(),
    run: whole('run').notNull(),
    tokens: integer('tokens').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.unitId, table.callId] })],
);

/** What happened, for operators; no text of a message is in it. */
export const dcpEvents = pgTable(
  'dcp_event',
  {
    sessionId: sessionId(),
    id: whole('id').generatedAlwaysAsIdentity(),
    kind: text('kind').notNull(),
    detail: jsonb('detail').$type<DcpEvent['detail']>().notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.id] }),
    index('dcp_event_created').on(table.createdAt),
  ],
);
