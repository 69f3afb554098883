/** The tools of tool servers that a session's prompt names. */
import { pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from './column-types.ts';
import { sessions } from './sessions.ts';

export const sessionTools = pgTable('session_tools', {
  sessionId: text('session_id')
    .primaryKey()
    .references(() => sessions.id, { onDelete: 'cascade' }),
  /** JSON as text: jsonb would change the order of its keys, and with it the bytes of every prompt. */
  tools: text('tools').notNull(),
  fixedAt: moment('fixed_at').notNull().defaultNow(),
});
