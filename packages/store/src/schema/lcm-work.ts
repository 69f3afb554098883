/** The lossless engine: work it owes, what caches did, and brakes that all workers share. */
import { sql } from 'drizzle-orm';
import { boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment, whole } from './column-types.ts';
import { sessions } from './sessions.ts';

/** One coalesced row a session. `revision` is an optimistic lock. */
export const lcmDebts = pgTable(
  'lcm_compaction_debt',
  {
    sessionId: text('session_id')
      .primaryKey()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    pending: boolean('pending').notNull(),
    running: boolean('running').notNull().default(false),
    reason: text('reason').notNull(),
    requestedAt: moment('requested_at').notNull(),
    startedAt: moment('started_at'),
    finishedAt: moment('finished_at'),
    dueAt: moment('due_at').notNull(),
    lastFailure: text('last_failure'),
    budgetTokens: integer('budget_tokens').notNull(),
    currentTokens: integer('current_tokens').notNull(),
    projectedTokens: integer('projected_tokens').notNull(),
    rawTokensOutsideTail: integer('raw_tokens_outside_tail').notNull(),
    thresholdTokens: integer('threshold_tokens').notNull(),
    thresholdSource: text('threshold_source').notNull(),
    retryAttempts: integer('retry_attempts').notNull().default(0),
    nextAttemptAfter: moment('next_attempt_after'),
    resolutionReason: text('resolution_reason'),
    revision: whole('revision').notNull().default(1),
  },
  (table) => [
    index('lcm_compaction_debt_due')
      .on(table.dueAt)
      .where(sql`pending`),
  ],
);

/** Per provider and model: after a switch nothing is known of the new cache. */
export const lcmTelemetry = pgTable(
  'lcm_cache_telemetry',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    provider: text('provider').notNull(),
    model: text('model').notNull(),
    cacheState: text('cache_state').notNull(),
    lastReadAt: moment('last_read_at'),
    lastWriteAt: moment('last_write_at'),
    lastBreakAt: moment('last_break_at'),
    coldObservations: integer('cold_observations').notNull(),
    turnsSinceLeaf: integer('turns_since_leaf').notNull(),
    tokensSinceLeaf: whole('tokens_since_leaf').notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.provider, table.model] })],
);

/** Of no session: a summary model that fails, fails for all. */
export const lcmBreakers = pgTable(
  'lcm_breaker',
  {
    provider: text('provider').notNull(),
    model: text('model').notNull(),
    failures: integer('failures').notNull(),
    openUntil: moment('open_until'),
    changedAt: moment('changed_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.provider, table.model] })],
);

export const lcmSpends = pgTable('lcm_spend', {
  sessionId: text('session_id')
    .primaryKey()
    .references(() => sessions.id, { onDelete: 'cascade' }),
  windowStartedAt: moment('window_started_at').notNull(),
  calls: integer('calls').notNull(),
  backoffUntil: moment('backoff_until'),
});
