/** What stands beside the transcript of the sessions and may hold a phrase: mail, replies, runs, plans, state, titles. */
import { sql, type SQL } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import type { PhraseFinder } from './phrases.ts';

/** A column to be cleaned: rows are named by ctid, which holds while the session is locked. */
interface Place {
  table: string;
  column: string;
  isJson: boolean;
  /** What changes with it. */
  also?: SQL;
}

/** Where a text is bold or a link holds for the old text only; that it is a file holds for what is left of it. */
const keptForm = sql`CASE WHEN form ->> 'kind' IN ('file', 'payload') THEN form END`;

const places: readonly Place[] = [
  { table: 'mailbox', column: 'content', isJson: true },
  { table: 'outbox', column: 'text', isJson: false },
  { table: 'outbox', column: 'file', isJson: true },
  { table: 'outbox_parts', column: 'text', isJson: false, also: sql`, form = ${keptForm}` },
  { table: 'outbox_parts', column: 'form', isJson: true },
  { table: 'turns', column: 'open_round', isJson: true },
  { table: 'turn_progress', column: 'text', isJson: false },
  { table: 'events', column: 'payload', isJson: true },
];

/** Plans made ahead were made from the old rows, and what a plug-in engine made of them cannot be looked through. */
const dropped: readonly SQL[] = [sql`prepared_compactions`, sql`engine_state`];

/**
 * touchedIds  those of the sessions whose rows were changed
 * returns     sessions in which something was changed here
 */
export async function clearBeside(
  tx: Transaction,
  { sessionIds, touchedIds }: { sessionIds: readonly string[]; touchedIds: readonly string[] },
  finder: PhraseFinder,
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>();
  for (const table of dropped)
    await run(tx, sql`DELETE FROM ${table} WHERE session_id = ANY(${sql.param([...touchedIds])}::text[])`);
  if (finder.isEmpty) return changed;
  for (const place of places)
    for (const sessionId of await cleanPlace(tx, { place, sessionIds }, finder)) changed.add(sessionId);
  for (const sessionId of await cleanTitles(tx, sessionIds, finder)) changed.add(sessionId);
  return changed;
}

async function cleanPlace(
  tx: Transaction,
  { place, sessionIds }: { place: Place; sessionIds: readonly string[] },
  finder: PhraseFinder,
): Promise<string[]> {
  const table = sql.identifier(place.table);
  const column = sql.identifier(place.column);
  const rows = await run<{ at: string; session_id: string; value: unknown }>(
    tx,
    sql`SELECT ctid::text AS at, session_id, ${column} AS value FROM ${table}
        WHERE session_id = ANY(${sql.param([...sessionIds])}::text[]) AND ${column} IS NOT NULL`,
  );
  const changed: string[] = [];
  for (const row of rows) {
    const clean = finder.withoutDeep(row.value);
    if (clean === null) continue;
    const value = place.isJson ? sql`${JSON.stringify(clean)}::jsonb` : sql`${clean as string}::text`;
    await run(
      tx,
      sql`UPDATE ${table} SET ${column} = ${value}${place.also ?? sql``} WHERE ctid = ${row.at}::tid`,
    );
    changed.push(row.session_id);
  }
  return changed;
}

/** Notices that showed a summary; answers are the model's own words. */
export async function clearNotices(
  tx: Transaction,
  sessionIds: readonly string[],
  finder: PhraseFinder,
): Promise<void> {
  if (finder.isEmpty) return;
  const notices = await run<{ session_id: string; id: number; text: string }>(
    tx,
    sql`SELECT session_id, id, text FROM outbox
        WHERE session_id = ANY(${sql.param([...sessionIds])}::text[]) AND kind = 'notice'`,
    'erase_notices',
  );
  for (const { session_id: sessionId, id, text } of notices) {
    const clean = finder.without(text);
    if (clean === null) continue;
    await run(
      tx,
      sql`UPDATE outbox SET text = ${clean} WHERE session_id = ${sessionId} AND id = ${id}::bigint`,
      'erase_notice',
    );
    // A phrase may lie across two parts.
    await run(
      tx,
      sql`UPDATE outbox_parts SET text = ${'[erased]'}, form = ${keptForm} WHERE session_id = ${sessionId} AND reply_id = ${id}::bigint`,
      'erase_notice_parts',
    );
  }
}

/** A title is often the beginning of what was said. */
async function cleanTitles(
  tx: Transaction,
  sessionIds: readonly string[],
  finder: PhraseFinder,
): Promise<string[]> {
  const rows = await run<{ id: string; title: string }>(
    tx,
    sql`SELECT id, title FROM sessions WHERE id = ANY(${sql.param([...sessionIds])}::text[]) AND title IS NOT NULL`,
    'erase_titles',
  );
  const changed = rows.filter(({ title }) => finder.without(title) !== null || finder.isBeginning(title));
  if (changed.length === 0) return [];
  const ids = changed.map((row) => row.id);
  await run(
    tx,
    sql`UPDATE sessions SET title = NULL WHERE id = ANY(${sql.param(ids)}::text[])`,
    'erase_title',
  );
  return ids;
}
