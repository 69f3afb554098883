/** Which tables a backup holds, in an order in which they can be filled. */
import type pg from 'pg';

export interface BackupTable {
  name: string;
  /** Without generated ones, which the database makes anew. */
  columns: readonly string[];
}

/** Text of runs under way and leases say nothing to another server. */
const leftOut: ReadonlySet<string> = new Set(['turn_progress', 'leases']);

/** Our tables, those that others point at first; a partitioned table once, without its partitions. */
export async function backupTables(client: pg.ClientBase): Promise<readonly BackupTable[]> {
  const tables = await client.query<BackupTable>(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     GROUP BY c.relname ORDER BY c.relname`,
  );
  const edges = await client.query<{ child: string; parent: string }>(
    `SELECT child.relname AS child, parent.relname AS parent FROM pg_constraint k
     JOIN pg_class child ON child.oid = k.conrelid JOIN pg_class parent ON parent.oid = k.confrelid
     WHERE k.contype = 'f' AND NOT k.condeferred AND child.oid <> parent.oid`,
  );
  const ours = tables.rows.filter(({ name }) => !leftOut.has(name) && !name.startsWith('bullmq'));
  return parentsFirst(ours, edges.rows);
}

function parentsFirst(
  tables: readonly BackupTable[],
  edges: readonly { child: string; parent: string }[],
): readonly BackupTable[] {
  const ordered: BackupTable[] = [];
  const waiting = new Set(tables);
  while (waiting.size > 0) {
    const names = new Set([...waiting].map(({ name }) => name));
    const free = [...waiting].filter(
      ({ name }) => !edges.some(({ child, parent }) => child === name && names.has(parent)),
    );
    // A ring of keys that are checked at once cannot be filled in any order; ours are checked at the commit.
    const next = free.length > 0 ? free : [...waiting];
    for (const table of next) {
      ordered.push(table);
      waiting.delete(table);
    }
  }
  return ordered;
}
