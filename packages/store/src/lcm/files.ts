/** lcm_files: what is known of large contents, whose bytes are payloads. */
import { lcmFileId, type LcmNewFile } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { writePayloads } from '../transcript/write-payloads.ts';

/** Once a content and session; the payload is written too where its text comes along. */
export async function writeFiles(
  tx: Transaction,
  sessionId: string,
  files: readonly LcmNewFile[],
): Promise<void> {
  if (files.length === 0) return;
  const withText = files.flatMap(({ payloadId, mime, text }) =>
    text === undefined ? [] : [{ id: payloadId, mime, text }],
  );
  await writePayloads(tx, sessionId, withText);
  const records = files.map((file) => ({
    id: lcmFileId(file.payloadId),
    payload_id: file.payloadId,
    name: file.name,
    mime: file.mime,
    lines: file.lines,
    tokens: Math.round(file.tokens),
    exploration: file.exploration,
  }));
  await run(
    tx,
    sql`INSERT INTO lcm_files (session_id, id, payload_id, name, mime, lines, tokens, exploration)
        SELECT ${sessionId}::text, r.id, r.payload_id, r.name, r.mime, r.lines, r.tokens, r.exploration
        FROM jsonb_to_recordset(${JSON.stringify(records)}::jsonb) AS r(id text, payload_id text, name text, mime text,
          lines bigint, tokens bigint, exploration text)
        ON CONFLICT DO NOTHING`,
    'lcm_write_files',
  );
}
