/** What model calls cost, by session, day, person and model. */
import { date, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { whole } from './column-types.ts';
import { sessions } from './sessions.ts';

/** Raised in the transaction that stores a round or ends a turn. Days are UTC. */
export const usageDays = pgTable(
  'usage_days',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    day: date('day').notNull(),
    /** people.id of who asked first; 0: not known. */
    personId: whole('person_id').notNull(),
    model: text('model').notNull(),
    /** Turns that asked a model. */
    turns: integer('turns').notNull().default(0),
    calls: integer('calls').notNull().default(0),
    /** Calls of models whose price nobody wrote down; they count as nothing below. */
    unpricedCalls: integer('unpriced_calls').notNull().default(0),
    promptTokens: whole('prompt_tokens').notNull().default(0),
    cacheReadTokens: whole('cache_read_tokens').notNull().default(0),
    cacheWriteTokens: whole('cache_write_tokens').notNull().default(0),
    outputTokens: whole('output_tokens').notNull().default(0),
    /** Millionths of a US dollar. */
    microdollars: whole('microdollars').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.day, table.personId, table.model] }),
    index('usage_days_person').on(table.day, table.personId),
  ],
);
