/** A slice of a payload's text. */
import { sql, type SQL } from 'drizzle-orm';
import { type Database, runOne } from '../database.ts';

export interface PayloadSlice {
  sessionId: string;
  payloadId: string;
  /** Bytes from the beginning, >= 0. */
  offset: number;
  maxBytes: number;
}

/**
 * The slice as text, whole characters only (so it may be up to 3 bytes shorter), and where the next one begins; null when
 * neither the session nor one it was rotated from has such a payload. `payloadId` may be the beginning of an id, as previews show it (16 hex digits at least).
 */
export async function readPayload(
  db: Database,
  slice: PayloadSlice,
): Promise<{ text: string; totalBytes: number; nextOffset: number } | null> {
  if (!isBeginning(slice.payloadId)) return null;
  const row = await runOne<{ content: Buffer; bytes: number }>(
    db,
    sql`${line(slice.sessionId)}
        SELECT substr(p.content, ${slice.offset + 1}::int, ${slice.maxBytes}::int) AS content, p.bytes
        ${found(slice.payloadId)}`,
    'read_payload',
  );
  if (row === null) return null;
  const { text, end } = wholeCharacters(row.content);
  return { text, totalBytes: row.bytes, nextOffset: slice.offset + end };
}

/** Id, kind and size; found as the slice is. */
export async function payloadHead(
  db: Database,
  sessionId: string,
  payloadId: string,
): Promise<{ id: string; mime: string; bytes: number } | null> {
  if (!isBeginning(payloadId)) return null;
  return runOne<{ id: string; mime: string; bytes: number }>(
    db,
    sql`${line(sessionId)} SELECT p.id, p.mime, p.bytes ${found(payloadId)}`,
    'payload_head',
  );
}

function isBeginning(payloadId: string): boolean {
  return /^[0-9a-f]{16,64}$/.test(payloadId);
}

/** The session and those it was rotated from. */
function line(sessionId: string): SQL {
  return sql`WITH RECURSIVE line AS (
          SELECT id, parent_session_id FROM sessions WHERE id = ${sessionId}
          UNION SELECT s.id, s.parent_session_id FROM line JOIN sessions s ON s.id = line.parent_session_id
        )`;
}

function found(payloadId: string): SQL {
  return sql`FROM line JOIN payloads p ON p.session_id = line.id
        WHERE p.swept_at IS NULL AND p.id >= ${payloadId} AND p.id < ${`${payloadId}g`} ORDER BY p.id LIMIT 1`;
}

/** Decode UTF-8 whose ends may have been cut through a character; the halves are left out. `end` in bytes. */
function wholeCharacters(bytes: Buffer): { text: string; end: number } {
  let start = 0;
  while (start < bytes.length && isContinuation(bytes[start])) start++;
  let lastStart = bytes.length - 1;
  while (lastStart > start && isContinuation(bytes[lastStart])) lastStart--;
  const isCut = lastStart >= start && lastStart + lengthOf(bytes[lastStart]) > bytes.length;
  const end = isCut ? lastStart : bytes.length;
  return { text: bytes.toString('utf8', start, end), end };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function lengthOf(lead: number | undefined): number {
  if (lead === undefined || lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
