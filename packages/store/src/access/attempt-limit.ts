/** attempt_limits: after five wrong codes in a row nothing is tried for an hour. */
import { sql } from 'drizzle-orm';
import { run, runOne, type Transaction } from '../database.ts';

const mostFailures = 5;
const lockMinutes = 60;

/** Minutes until something may be tried again under that name, 0 = now. Holds others off until the transaction ends. */
export async function lockedMinutes(tx: Transaction, name: string): Promise<number> {
  await run(
    tx,
    sql`INSERT INTO attempt_limits (name) VALUES (${name}) ON CONFLICT DO NOTHING`,
    'attempt_limit',
  );
  const row = await runOne<{ minutes: number }>(
    tx,
    sql`SELECT greatest(0, ceil(coalesce(extract(epoch FROM locked_until - now()), 0) / 60))::int AS minutes
        FROM attempt_limits WHERE name = ${name} FOR UPDATE`,
    'attempt_locked',
  );
  return row?.minutes ?? 0;
}

/** Count a wrong code; how many more may be tried, 0: it is locked now. */
export async function noteFailure(tx: Transaction, name: string): Promise<number> {
  const row = await runOne<{ failures: number }>(
    tx,
    sql`UPDATE attempt_limits SET changed_at = now(),
          failures = CASE WHEN failures + 1 >= ${mostFailures} THEN 0 ELSE failures + 1 END,
          locked_until = CASE WHEN failures + 1 >= ${mostFailures} THEN now() + ${lockMinutes} * interval '1 minute' END
        WHERE name = ${name} RETURNING failures`,
    'attempt_failed',
  );
  const failures = row?.failures ?? 0;
  return failures === 0 ? 0 : mostFailures - failures;
}

export async function forgetFailures(tx: Transaction, name: string): Promise<void> {
  await run(tx, sql`DELETE FROM attempt_limits WHERE name = ${name}`, 'attempts_forgotten');
}
