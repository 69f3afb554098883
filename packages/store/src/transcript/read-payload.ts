/** A slice of a payload's text. */
import { sql } from 'drizzle-orm';
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
  if (!/^[0-9a-f]{16,64}$/.test(slice.payloadId)) return null;
  const row = await runOne<{ content: Buffer; bytes: number }>(
    db,
    sql`WITH RECURSIVE line AS (
          SELECT id, parent_session_id FROM sessions WHERE id = ${slice.sessionId}
          UNION SELECT s.id, s.parent_session_id FROM line JOIN sessions s ON s.id = line.parent_session_id
        )
        SELECT substr(p.content, ${slice.offset + 1}::int, ${slice.maxBytes}::int) AS content, p.bytes
        FROM line JOIN payloads p ON p.session_id = line.id
        WHERE p.id >= ${slice.payloadId} AND p.id < ${`${slice.payloadId}g`} ORDER BY p.id LIMIT 1`,
    'read_payload',
  );
  if (row === null) return null;
  const { text, end } = wholeCharacters(row.content);
  return { text, totalBytes: row.bytes, nextOffset: slice.offset + end };
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
