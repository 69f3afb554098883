/** Where people talk and who they are. */
import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import { moment, whole } from './column-types.ts';
import { sessions } from './sessions.ts';

/**
 * One row a place: platform, account, chat, thread → session. A row with `alias_of` stands for a place that was
 * renamed (a group that became a supergroup): whatever names it means the other row.
 */
export const chats = pgTable(
  'chats',
  {
    id: whole('id').primaryKey().generatedAlwaysAsIdentity(),
    platform: text('platform').notNull(),
    account: text('account').notNull(),
    chatId: text('chat_id').notNull(),
    threadId: text('thread_id').notNull().default(''),
    kind: text('kind').notNull(),
    title: text('title'),
    language: text('language'),
    /** No foreign key: the chat outlives a session that is erased. */
    sessionId: text('session_id'),
    /** Direct chats: whom it is with (identities); the direct sessions of a person are one scope. Null in groups. */
    userId: text('user_id'),
    aliasOf: whole('alias_of'),
    unreachableAt: moment('unreachable_at'),
    unreachableProblem: text('unreachable_problem'),
    /** Nothing is sent there before this time. */
    gateUntil: moment('gate_until'),
    lastMessageId: text('last_message_id'),
    lastSeenAt: moment('last_seen_at'),
    /** Messages of other bots taken since a person spoke there, and when the last one came. */
    botStreak: integer('bot_streak').notNull().default(0),
    botStreakAt: moment('bot_streak_at'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    unique('chats_place').on(table.platform, table.account, table.chatId, table.threadId),
    index('chats_session').on(table.sessionId),
    index('chats_user')
      .on(table.platform, table.userId)
      .where(sql`user_id IS NOT NULL`),
    index('chats_alias')
      .on(table.aliasOf)
      .where(sql`alias_of IS NOT NULL`),
  ],
);

/** Sessions of single people in a group or thread, where each has one; the others share that of the chat. */
export const chatMembers = pgTable(
  'chat_members',
  {
    chatRowId: whole('chat_row_id').notNull(),
    userId: text('user_id').notNull(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.chatRowId, table.userId] }),
    index('chat_members_session').on(table.sessionId),
  ],
);

/** A bot account that must send nothing before `gate_until`. `account` is core's accountKey. */
export const accountGates = pgTable('account_gates', {
  account: text('account').primaryKey(),
  gateUntil: moment('gate_until').notNull(),
});

export const people = pgTable('people', {
  id: whole('id').primaryKey().generatedAlwaysAsIdentity(),
  role: text('role').notNull().default('user'),
  createdAt: moment('created_at').notNull().defaultNow(),
});

/** A platform's id of a person; several of one person are linked by `person_id`. */
export const identities = pgTable(
  'identities',
  {
    platform: text('platform').notNull(),
    userId: text('user_id').notNull(),
    personId: whole('person_id')
      .notNull()
      .references(() => people.id),
    name: text('name').notNull(),
    language: text('language'),
    lastSeenAt: moment('last_seen_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.platform, table.userId] }),
    index('identities_person').on(table.personId),
  ],
);

/** What operators granted or took away, for a user or a chat; beats the config's lists. */
export const accessGrants = pgTable(
  'access_grants',
  {
    platform: text('platform').notNull(),
    /** user, chat */
    kind: text('kind').notNull(),
    id: text('id').notNull(),
    /** allow, deny; of a user also paired: let in by a code, for direct messages */
    access: text('access').notNull(),
    changedAt: moment('changed_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.platform, table.kind, table.id] })],
);

/** One-time codes, hashed with a salt (`SALT$HASH`); the code itself is stored nowhere. */
export const pairings = pgTable(
  'pairings',
  {
    codeHash: text('code_hash').primaryKey(),
    /** access: an operator lets a stranger in; link: two accounts of one person become one */
    purpose: text('purpose').notNull().default('access'),
    platform: text('platform').notNull(),
    userId: text('user_id').notNull(),
    chatRowId: whole('chat_row_id').notNull(),
    attempts: integer('attempts').notNull().default(0),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (table) => [
    index('pairings_open')
      .on(table.platform, table.userId)
      .where(sql`used_at IS NULL`),
  ],
);

/** Wrong codes in a row, by what was tried; nothing more may be tried there before `locked_until`. */
export const attemptLimits = pgTable('attempt_limits', {
  name: text('name').primaryKey(),
  failures: integer('failures').notNull().default(0),
  lockedUntil: moment('locked_until'),
  changedAt: moment('changed_at').notNull().defaultNow(),
});
