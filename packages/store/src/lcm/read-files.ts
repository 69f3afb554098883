/** Large contents by `file_…`: what is known of them, a window of their text. Out of scope is as if they did not exist. */
import type { LcmFile, LcmFileSlice, LcmFileWindow, LcmScope } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { type Database, type Executor, run, runOne } from '../database.ts';
import { scopeOf } from './scope.ts';

export interface FileRecord {
  session_id: string;
  payload_id: string;
  name: string | null;
  mime: string;
  bytes: number;
  lines: number | null;
  tokens: number | null;
  exploration: string | null;
  created_at: Date;
}

/** To be selected from `payloads p LEFT JOIN lcm_files f`: a payload that nobody described is a file too. */
export const fileColumns =
  sql.raw(`p.session_id, p.id AS payload_id, f.name, coalesce(f.mime, p.mime) AS mime, p.bytes,
  f.lines, f.tokens, coalesce(f.exploration, p.exploration) AS exploration, p.created_at`);
export const fileJoin = sql.raw(
  'payloads p LEFT JOIN lcm_files f ON f.session_id = p.session_id AND f.payload_id = p.id',
);

export function toFile(row: FileRecord): LcmFile {
  const id = `file_${row.payload_id.slice(0, 16)}`;
  return {
    id,
    sessionId: row.session_id,
    payloadId: row.payload_id,
    name: row.name ?? id,
    mime: row.mime,
    bytes: row.bytes,
    lines: row.lines,
    tokens: row.tokens,
    exploration: row.exploration,
    createdAt: row.created_at,
  };
}

/** The beginning of the payload's id that a file's id carries; null for what is none. */
export function payloadPrefix(fileId: string): string | null {
  return /^file_([0-9a-f]{16})$/.exec(fileId)?.[1] ?? null;
}

export async function fileInScope(db: Executor, scope: LcmScope, fileId: string): Promise<LcmFile | null> {
  const prefix = payloadPrefix(fileId);
  if (prefix === null) return null;
  const sessions = await scopeOf(db, scope);
  const row = await runOne<FileRecord>(
    db,
    sql`SELECT ${fileColumns} FROM ${fileJoin}
        WHERE p.session_id = ANY(${sql.param([...sessions])}::text[]) AND p.id >= ${prefix} AND p.id < ${`${prefix}g`}
        ORDER BY p.session_id = ${scope.sessionId} DESC, p.created_at DESC LIMIT 1`,
    'lcm_file',
  );
  return row === null ? null : toFile(row);
}

/** Whole characters only: where the window's end would cut one, it ends before it. */
export async function readFile(
  db: Database,
  scope: LcmScope,
  wish: { fileId: string; window: LcmFileWindow },
): Promise<LcmFileSlice | null> {
  const file = await fileInScope(db, scope, wish.fileId);
  if (file === null) return null;
  const { window } = wish;
  const slice =
    window.kind === 'bytes' ? await readBytes(db, file, window) : await readLines(db, file, window);
  return { file, ...slice };
}

type Slice = Omit<LcmFileSlice, 'file'>;

/**
 * The last place at or before `wanted` where a character of `content` begins, or its end. As SQL, 0-based.
 */
export function characterBorder(content: SQL, wanted: SQL): SQL {
  return sql`(SELECT max(place) FROM generate_series(greatest(0, least(octet_length(${content}), ${wanted}) - 3),
      least(octet_length(${content}), ${wanted})) place
    WHERE place = octet_length(${content}) OR (get_byte(${content}, place) & 192) <> 128)`;
}

async function readBytes(
  db: Database,
  file: LcmFile,
  window: Extract<LcmFileWindow, { kind: 'bytes' }>,
): Promise<Slice> {
  const content = sql.raw('p.content');
  const row = await runOne<{ text: string; first: number; until: number; total: number }>(
    db,
    sql`SELECT convert_from(substr(p.content, border.first + 1, greatest(0, border.until - border.first)), 'UTF8') AS text,
          border.first, border.until, octet_length(p.content) AS total
        FROM payloads p, LATERAL (SELECT ${characterBorder(content, sql`${window.offset}::int`)} AS first,
          ${characterBorder(content, sql`${window.offset}::int + ${window.maxBytes}::int`)} AS until) border
        WHERE p.session_id = ${file.sessionId} AND p.id = ${file.payloadId}`,
    'lcm_read_bytes',
  );
  if (row === null) return { text: '', byteOffset: 0, isTruncated: false };
  return { text: row.text, byteOffset: row.first, isTruncated: row.until < row.total };
}

/** The lines come whole or not at all, but for the first, which is cut where it alone is too long. */
async function readLines(
  db: Database,
  file: LcmFile,
  window: Extract<LcmFileWindow, { kind: 'lines' }>,
): Promise<Slice> {
  const rows = await run<{ line: string; begins: number; number: number; is_cut: boolean }>(
    db,
    sql`WITH line AS (
          SELECT l.line, l.number, octet_length(l.line) + 1 AS bytes,
            coalesce(sum(octet_length(l.line) + 1) OVER (ORDER BY l.number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS begins
          FROM payloads p, string_to_table(convert_from(p.content, 'UTF8'), E'\\n') WITH ORDINALITY AS l(line, number)
          WHERE p.session_id = ${file.sessionId} AND p.id = ${file.payloadId}
        ), wanted AS (
          SELECT *, sum(bytes) OVER (ORDER BY number) - 1 AS so_far FROM line
          WHERE number BETWEEN ${window.startLine}::int AND ${window.endLine}::int
        )
        SELECT left(line, ${window.maxBytes}::int) AS line, begins::bigint AS begins, number::int AS number,
          so_far > ${window.maxBytes}::int AS is_cut
        FROM wanted WHERE so_far - bytes <= ${window.maxBytes}::int ORDER BY number`,
    'lcm_read_lines',
  );
  return joinLines(rows, window.maxBytes);
}

function joinLines(
  rows: readonly { line: string; begins: number; is_cut: boolean }[],
  maxBytes: number,
): Slice {
  const whole = rows.filter((row) => !row.is_cut);
  const byteOffset = rows[0]?.begins ?? 0;
  const isTruncated = whole.length < rows.length;
  const [first] = rows;
  if (whole.length === 0 && first) return { text: cutToBytes(first.line, maxBytes), byteOffset, isTruncated };
  return { text: whole.map((row) => row.line).join('\n'), byteOffset, isTruncated };
}

function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
