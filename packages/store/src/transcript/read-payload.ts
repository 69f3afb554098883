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

/** The slice as text, whole characters only (so it may be up to 3 bytes shorter); null when the session has no such payload. */
export async function readPayload(
  db: Database,
  slice: PayloadSlice,
): Promise<{ text: string; totalBytes: number } | null> {
  const row = await runOne<{ content: Buffer; bytes: number }>(
    db,
    sql`SELECT substr(content, ${slice.offset + 1}::int, ${slice.maxBytes}::int) AS content, bytes
        FROM payloads WHERE session_id = ${slice.sessionId} AND id = ${slice.payloadId}`,
    'read_payload',
  );
  if (row === null) return null;
  return { text: wholeCharacters(row.content), totalBytes: row.bytes };
}

/** Decode UTF-8 whose ends may have been cut through a character; the halves are left out. */
function wholeCharacters(bytes: Buffer): string {
  let start = 0;
  while (start < bytes.length && isContinuation(bytes[start])) start++;
  let lastStart = bytes.length - 1;
  while (lastStart > start && isContinuation(bytes[lastStart])) lastStart--;
  const isCut = lastStart >= start && lastStart + lengthOf(bytes[lastStart]) > bytes.length;
  return bytes.toString('utf8', start, isCut ? lastStart : bytes.length);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function lengthOf(lead: number | undefined): number {
  if (lead === undefined || lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
