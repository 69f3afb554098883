import { index, pgTable, text } from 'drizzle-orm/pg-core';
import { moment, whole } from './column-types.ts';

/** What operators of this installation were told once; again only when `value` is another. */
export const toldOnce = pgTable('told_once', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
  toldAt: moment('told_at').notNull().defaultNow(),
});

/** What operators did. It outlives the sessions it speaks of, so nothing points at them. */
export const operatorActions = pgTable(
  'operator_actions',
  {
    id: whole('id').primaryKey().generatedAlwaysAsIdentity(),
    at: moment('at').notNull().defaultNow(),
    actor: text('actor').notNull(),
    /** dashboard, cli */
    via: text('via').notNull(),
    act: text('act').notNull(),
    sessionId: text('session_id'),
    target: text('target'),
  },
  (table) => [index('operator_actions_session').on(table.sessionId, table.id)],
);
