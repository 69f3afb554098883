/** payloads, mailbox: what was fetched of a message's files; the message may then be read. */
import { createHash } from 'node:crypto';
import {
  cleanDeep,
  type MailboxContent,
  type MediaTask,
  type MessageMedia,
  type NewReply,
  type SettledMedia,
} from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne, transaction, type Transaction } from '../database.ts';
import { unlessThere } from '../transcript/write-payloads.ts';
import { writeReplies } from '../write-replies.ts';

interface Waiting {
  session_id: string;
  seq: number;
  content: MailboxContent;
}

/** See the port. The row is found wherever its session was moved to meanwhile, unless it was withdrawn or erased. */
export function settleMedia(
  db: Database,
  task: MediaTask,
  end: { settled: readonly SettledMedia[]; replies: readonly NewReply[] },
): Promise<string | null> {
  return transaction(db, async (tx) => {
    const row = await lockWaiting(tx, task.inboxId);
    if (row === null || row.content.kind !== 'message') return null;
    for (const { state, content } of end.settled) {
      if (state.kind === 'stored' && content !== undefined)
        await writeContent(tx, row.session_id, { state, content });
    }
    const byReference = new Map(end.settled.map(({ reference, state }) => [reference, state]));
    const media = (row.content.message.media ?? []).map((one): MessageMedia => {
      const state = one.state.kind === 'wanted' ? byReference.get(one.reference) : undefined;
      return state === undefined ? one : { ...one, state };
    });
    await makeReadable(tx, row, cleanDeep(media));
    await writeReplies(tx, row.session_id, end.replies);
    tx.notices.add([{ kind: 'mailbox', sessionId: row.session_id }]);
    return row.session_id;
  });
}

function lockWaiting(tx: Transaction, inboxId: number): Promise<Waiting | null> {
  return runOne<Waiting>(
    tx,
    sql`SELECT session_id, seq, content FROM mailbox
        WHERE state = 'pending' AND media_due IS NOT NULL AND inbox_id = ${inboxId}::bigint FOR UPDATE`,
    'lock_media',
  );
}

/** `id` is the sha256 of the content, so equal ids are equal. */
async function writeContent(
  tx: Transaction,
  sessionId: string,
  { state, content }: { state: { payloadId: string; mime: string }; content: Uint8Array },
): Promise<void> {
  const bytes = Buffer.from(content);
  const id = createHash('sha256').update(bytes).digest('hex');
  await run(
    tx,
    sql`INSERT INTO payloads (session_id, id, mime, bytes, content)
        VALUES (${sessionId}, ${id}, ${state.mime}, ${bytes.length}, ${bytes}) ${unlessThere}`,
    'write_media',
  );
}

/** What else the message waits for, such as the rest of an album, it goes on waiting for. */
async function makeReadable(tx: Transaction, row: Waiting, media: readonly MessageMedia[]): Promise<void> {
  await run(
    tx,
    sql`UPDATE mailbox SET content = jsonb_set(content, '{message,media}', ${JSON.stringify(media)}::jsonb), media_due = NULL
        WHERE session_id = ${row.session_id} AND seq = ${row.seq}::bigint`,
    'settle_media',
  );
}
