/** Every column of every table of ours, looked through for what should be nowhere. */
import type { WantedTraces } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { type Database, run, runOne, transaction, type Transaction } from '../database.ts';
import { searchWords } from '../search/tokens.ts';

interface ColumnRecord {
  table: string;
  column: string;
  type: string;
}

/** Rows that hold one of the texts, by `table.column`; columns without any are left out. */
export function traces(db: Database, wanted: WantedTraces): Promise<Readonly<Record<string, number>>> {
  return transaction(db, async (tx) => {
    await run(tx, sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`);
    const found: Record<string, number> = {};
    for (const column of await columnsOf(tx)) {
      const condition = holds(column, wanted);
      const rows = condition === null ? 0 : await count(tx, column, condition);
      if (rows > 0) found[`${column.table}.${column.column}`] = rows;
    }
    return found;
  });
}

/** Partitions are read through the table they are of. */
function columnsOf(tx: Transaction): Promise<ColumnRecord[]> {
  return run<ColumnRecord>(
    tx,
    sql`SELECT c.relname AS table, a.attname AS column, t.typname AS type
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        JOIN pg_type t ON t.oid = a.atttypid
        WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        ORDER BY c.relname, a.attnum`,
  );
}

async function count(tx: Transaction, { table, column }: ColumnRecord, condition: SQL): Promise<number> {
  const row = await runOne<{ rows: number }>(
    tx,
    sql`SELECT count(*)::int AS rows FROM ${sql.identifier(table)}
        WHERE ${sql.identifier(column)} IS NOT NULL AND (${condition})`,
  );
  return row?.rows ?? 0;
}

function holds({ column, type }: ColumnRecord, { texts, personIds = [] }: WantedTraces): SQL | null {
  const value = sql.identifier(column);
  if (type === 'int8' && column === 'person_id')
    return sql`${value} = ANY(${sql.param([...personIds])}::bigint[])`;
  if (texts.length === 0) return null;
  if (type === 'tsvector')
    return sql.join(
      texts.map((text) => holdsWords(value, text)),
      sql` OR `,
    );
  if (type === 'bytea')
    return sql.join(
      formsOf(texts).map((form) => holdsBytes(value, form)),
      sql` OR `,
    );
  if (!['text', 'jsonb', '_text', 'varchar', 'json'].includes(type)) return null;
  return sql.join(
    formsOf(texts).map((form) => sql`strpos(${value}::text, ${form}) > 0`),
    sql` OR `,
  );
}

function holdsBytes(value: SQL | ReturnType<typeof sql.identifier>, form: string): SQL {
  return sql`position(convert_to(${form}, 'UTF8') IN ${value}) > 0`;
}

/** All of its words: a vector knows no text. */
function holdsWords(value: ReturnType<typeof sql.identifier>, text: string): SQL {
  const words = searchWords(text).map((word) => `'${word}'`);
  return words.length === 0 ? sql`false` : sql`${value} @@ ${words.join(' <-> ')}::tsquery`;
}

/** As they are, and as they stand inside JSON, once and twice. */
function formsOf(texts: readonly string[]): string[] {
  return [
    ...new Set(
      texts.flatMap((text) => {
        const escaped = JSON.stringify(text).slice(1, -1);
        return [text, escaped, JSON.stringify(escaped).slice(1, -1)];
      }),
    ),
  ];
}
