/** Sessions, their leases and signals. */
import { sql } from 'drizzle-orm';
import {
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
} from 'drizzle-orm/pg-core';
import type { Interaction } from '@palimpsest/core';
import { moment, whole } from './column-types.ts';

export const sessions = pgTable(
  'sessions',
  {
    /** `YYYYMMDD_HHMMSS_<8 hex>`, UTC. */
    id: text('id').primaryKey(),
    title: text('title'),
    engine: text('engine').notNull(),
    model: text('model'),
    /** Chosen for this session by its person; null follows the configuration. */
    wantedEngine: text('wanted_engine'),
    wantedModel: text('wanted_model'),
    busyMode: text('busy_mode'),
    systemPrompt: text('system_prompt'),
    systemNote: text('system_note'),
    platform: text('platform').notNull(),
    account: text('account').notNull(),
    chatKind: text('chat_kind').notNull(),
    /** The chat it began in. */
    chatRowId: whole('chat_row_id').notNull(),
    parentSessionId: text('parent_session_id'),
    /** Rises when live rows or engine state change. */
    revision: whole('revision').notNull().default(0),
    /** Rises when rows that were there before change or others come between them; a trigger on `messages` sees to it. */
    rewrites: whole('rewrites').notNull().default(0),
    /** Next free transcript seq; rows come in gaps of 1024. */
    nextSeq: whole('next_seq').notNull().default(1024),
    nextMailboxSeq: whole('next_mailbox_seq').notNull().default(1),
    /** Fencing: rises with every claim; a write with an older one is refused. */
    epoch: whole('epoch').notNull().default(0),
    leaseOwner: text('lease_owner'),
    leaseUntil: moment('lease_until'),
    lastPromptTokens: integer('last_prompt_tokens').notNull().default(0),
    /** Of the last real prompt. */
    lastCacheReadTokens: integer('last_cache_read_tokens').notNull().default(0),
    lastOutputTokens: integer('last_output_tokens').notNull().default(0),
    lastPricedSeq: whole('last_priced_seq').notNull().default(0),
    estimateRatio: doublePrecision('estimate_ratio').notNull().default(1),
    compactionCount: integer('compaction_count').notNull().default(0),
    cooldownUntil: moment('cooldown_until'),
    cooldownReason: text('cooldown_reason'),
    failureStreak: integer('failure_streak').notNull().default(0),
    ineffectiveStreak: integer('ineffective_streak').notNull().default(0),
    fallbackStreak: integer('fallback_streak').notNull().default(0),
    /** Steps on the ladders of rests: failures of that kind in a row. */
    timeoutStreak: integer('timeout_streak').notNull().default(0),
    truncationStreak: integer('truncation_streak').notNull().default(0),
    probeAt: moment('probe_at'),
    structuralUntil: moment('structural_until'),
    holdRestUntil: moment('hold_rest_until'),
    holdRestReason: text('hold_rest_reason'),
    holdFailureStreak: integer('hold_failure_streak').notNull().default(0),
    auxiliaryFailed: text('auxiliary_failed'),
    troubleTold: text('trouble_told'),
    /** Last seq when a compaction was taken back: automatic ones rest until enough came behind it. */
    restAfterSeq: whole('rest_after_seq'),
    /** When idle compaction last looked at the session; looked at again after its next change. */
    idleCheckedAt: moment('idle_checked_at'),
    /** A compaction is being prepared; counts until this time. */
    preparingUntil: moment('preparing_until'),
    /** How the words of its rows were indexed; what lies behind the present way is indexed anew. */
    searchVersion: smallint('search_version').notNull().default(0),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    /** Ended by /reset or rotation; still readable. */
    closedAt: moment('closed_at'),
  },
  (table) => [
    index('sessions_activity').on(table.updatedAt),
    index('sessions_chat').on(table.chatRowId),
    index('sessions_search_version').on(table.searchVersion, table.id),
    // What the sweeper reads for idle compaction; a session that was looked at leaves it until it changes.
    index('sessions_idle')
      .on(table.updatedAt)
      .where(sql`closed_at IS NULL AND (idle_checked_at IS NULL OR idle_checked_at < updated_at)`),
  ],
);

/** Stop, status and queue: read by the lease holder at every border, deleted when taken. */
export const signals = pgTable(
  'signals',
  {
    id: whole('id').generatedAlwaysAsIdentity(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    kind: text('kind').notNull(),
    chatRowId: whole('chat_row_id').notNull(),
    senderId: text('sender_id').notNull().default(''),
    /** The beginning of what stood behind the name of the command. */
    argument: text('argument').notNull().default(''),
    /** Where a slash command of a platform waits for its answer. */
    interaction: jsonb('interaction').$type<Interaction>(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.id] })],
);

/** Leases beside those of sessions: a poller and a sender an account, one exporter, one sweeper. */
export const leases = pgTable('leases', {
  name: text('name').primaryKey(),
  owner: text('owner').notNull(),
  until: moment('until').notNull(),
});

/** What an engine keeps beside the transcript. */
export const engineState = pgTable(
  'engine_state',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    engine: text('engine').notNull(),
    revision: whole('revision').notNull().default(1),
    state: jsonb('state').$type<unknown>(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.engine] })],
);
