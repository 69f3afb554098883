/** Runs of the agent and their text so far. */
import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { OpenRound } from '@palimpsest/core';
import { moment, whole } from './column-types.ts';
import { sessions } from './sessions.ts';

/** State: running → answered, stopped, failed or dead. A repeated attempt keeps the row. */
export const turns = pgTable(
  'turns',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    id: text('id').notNull(),
    chatRowId: whole('chat_row_id').notNull(),
    firstMailboxSeq: whole('first_mailbox_seq').notNull(),
    lastMailboxSeq: whole('last_mailbox_seq').notNull(),
    state: text('state').notNull().default('running'),
    attempt: integer('attempt').notNull().default(1),
    /** Epoch of the claim that runs it. */
    epoch: whole('epoch').notNull(),
    lastStep: integer('last_step').notNull().default(0),
    openRound: jsonb('open_round').$type<OpenRound | null>(),
    modelCalls: integer('model_calls').notNull().default(0),
    promptTokens: whole('prompt_tokens').notNull().default(0),
    outputTokens: whole('output_tokens').notNull().default(0),
    cacheReadTokens: whole('cache_read_tokens').notNull().default(0),
    cacheWriteTokens: whole('cache_write_tokens').notNull().default(0),
    reasoningTokens: whole('reasoning_tokens').notNull().default(0),
    /** Millionths of a US dollar; calls whose price nobody wrote down count as nothing. */
    microdollars: whole('microdollars').notNull().default(0),
    /** W3C traceparent of the last attempt, while traces are on. */
    traceparent: text('traceparent'),
    /** The provider's own object of the last call. */
    lastUsage: jsonb('last_usage').$type<unknown>(),
    startedAt: moment('started_at').notNull().defaultNow(),
    attemptedAt: moment('attempted_at').notNull().defaultNow(),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.id] }),
    // What boards read: the turns of the last minutes or days, of all sessions.
    index('turns_started').on(table.startedAt),
    index('turns_running')
      .on(table.sessionId)
      .where(sql`state = 'running'`),
    index('turns_running_chat')
      .on(table.chatRowId)
      .where(sql`state = 'running'`),
  ],
);

/** Unlogged: text so far for previews, lost in a crash of the database and nobody minds. */
export const turnProgress = pgTable(
  'turn_progress',
  {
    sessionId: text('session_id').notNull(),
    turnId: text('turn_id').notNull(),
    chatRowId: whole('chat_row_id').notNull(),
    text: text('text').notNull(),
    note: text('note').notNull(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.turnId] }),
    index('turn_progress_chat').on(table.chatRowId),
  ],
);
