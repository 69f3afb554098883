import { pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from './column-types.ts';

/** What operators of this installation were told once; again only when `value` is another. */
export const toldOnce = pgTable('told_once', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
  toldAt: moment('told_at').notNull().defaultNow(),
});
