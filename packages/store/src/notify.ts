/** Tell listeners what just happened: `pg_notify`, sent by Postgres when the transaction commits. */
import type { StoreNotice } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Executor, run } from './database.ts';

export const noticeChannel = 'palimpsest';

/** Send notices; ids only, so that a payload stays far below the 8,000 bytes Postgres takes. */
export async function notify(executor: Executor, notices: readonly StoreNotice[]): Promise<void> {
  if (notices.length === 0) return;
  const payloads = notices.map((notice) => JSON.stringify(notice));
  await run(
    executor,
    sql`SELECT pg_notify(${noticeChannel}, payload) FROM unnest(${sql.param(payloads)}::text[]) AS u(payload)`,
    'notify',
  );
}
