/** told_once: one row a notice; several processes that start together tell it once. */
import { sql } from 'drizzle-orm';
import { type Database, runOne } from '../database.ts';

export async function tellOnce(db: Database, name: string, value: string): Promise<boolean> {
  const told = await runOne<{ name: string }>(
    db,
    sql`INSERT INTO told_once (name, value) VALUES (${name}, ${value})
        ON CONFLICT (name) DO UPDATE SET value = excluded.value, told_at = now()
        WHERE told_once.value <> excluded.value RETURNING name`,
  );
  return told !== null;
}

export async function lastTold(db: Database, name: string): Promise<string | null> {
  const told = await runOne<{ value: string }>(db, sql`SELECT value FROM told_once WHERE name = ${name}`);
  return told?.value ?? null;
}
