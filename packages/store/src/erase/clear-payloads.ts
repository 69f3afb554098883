/** payloads, lcm_files: contents of erased rows that no other row points at, and contents that quote them. */
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { isInMail } from './erased-mail.ts';
import type { PhraseFinder } from './phrases.ts';

interface ContentRecord {
  session_id: string;
  id: string;
  mime: string;
  content: Uint8Array;
}

/** The texts among the payloads. */
export async function payloadTexts(
  tx: Transaction,
  sessionIds: readonly string[],
  payloadIds: readonly string[],
): Promise<string[]> {
  if (payloadIds.length === 0) return [];
  const rows = await run<ContentRecord>(
    tx,
    sql`SELECT session_id, id, mime, content FROM payloads WHERE session_id = ANY(${sql.param([...sessionIds])}::text[])
          AND id = ANY(${sql.param([...new Set(payloadIds)])}::text[])`,
    'erase_payload_texts',
  );
  return rows.flatMap((row) => (isText(row) ? [textOf(row)] : []));
}

/**
 * The rows have their new contents already.
 * returns  how many contents are gone or changed
 */
export async function clearPayloads(
  tx: Transaction,
  sessionIds: readonly string[],
  { payloadIds, finder }: { payloadIds: readonly string[]; finder: PhraseFinder },
): Promise<number> {
  let cleared = 0;
  for (const sessionId of sessionIds) {
    cleared += await removeUnused(tx, sessionId, payloadIds);
    cleared += await cleanQuotes(tx, sessionId, finder);
  }
  return cleared;
}

async function removeUnused(
  tx: Transaction,
  sessionId: string,
  payloadIds: readonly string[],
): Promise<number> {
  if (payloadIds.length === 0) return 0;
  const unused = await run<{ id: string }>(
    tx,
    sql`SELECT p.id FROM payloads p WHERE p.session_id = ${sessionId}
          AND p.id = ANY(${sql.param([...new Set(payloadIds)])}::text[]) AND NOT EXISTS (SELECT 1 FROM messages m
            WHERE m.session_id = ${sessionId}
              AND m.parts @> jsonb_build_array(jsonb_build_object('type', 'payload', 'payloadId', p.id)))
          AND NOT ${isInMail(sql`p.session_id`, sql`p.id`)}`,
    'erase_unused_payloads',
  );
  if (unused.length === 0) return 0;
  const ids = sql.param(unused.map((row) => row.id));
  await run(
    tx,
    sql`DELETE FROM lcm_files WHERE session_id = ${sessionId} AND payload_id = ANY(${ids}::text[])`,
    'erase_files',
  );
  await run(
    tx,
    sql`DELETE FROM payloads WHERE session_id = ${sessionId} AND id = ANY(${ids}::text[])`,
    'erase_payloads',
  );
  return unused.length;
}

/** One at a time: each may have many megabytes. Its id stays, so that whoever points at it finds what is left. */
async function cleanQuotes(tx: Transaction, sessionId: string, finder: PhraseFinder): Promise<number> {
  if (finder.isEmpty) return 0;
  const ids = await run<{ id: string }>(
    tx,
    sql`SELECT id FROM payloads WHERE session_id = ${sessionId}`,
    'erase_payload_ids',
  );
  let cleaned = 0;
  for (const { id } of ids) if (await cleanOne(tx, { sessionId, id }, finder)) cleaned += 1;
  return cleaned;
}

async function cleanOne(
  tx: Transaction,
  { sessionId, id }: { sessionId: string; id: string },
  finder: PhraseFinder,
): Promise<boolean> {
  const [row] = await run<ContentRecord>(
    tx,
    sql`SELECT session_id, id, mime, content FROM payloads WHERE session_id = ${sessionId} AND id = ${id}`,
    'erase_payload',
  );
  const clean = row && isText(row) ? finder.without(textOf(row)) : null;
  if (clean === null) return false;
  const content = Buffer.from(clean);
  await run(
    tx,
    sql`UPDATE payloads SET content = ${content}, bytes = ${content.length}, exploration = NULL
        WHERE session_id = ${sessionId} AND id = ${id}`,
    'erase_clean_payload',
  );
  await run(
    tx,
    sql`UPDATE lcm_files SET exploration = '' WHERE session_id = ${sessionId} AND payload_id = ${id}`,
    'erase_clean_file',
  );
  return true;
}

function isText({ mime }: ContentRecord): boolean {
  return mime.startsWith('text/') || mime.includes('json') || mime.includes('xml');
}

function textOf({ content }: ContentRecord): string {
  return Buffer.from(content).toString('utf8');
}
