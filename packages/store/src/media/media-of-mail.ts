/** Files of mailbox rows on their way into a turn: what is to be heard first, and the texts among them. */
import type { AudioToHear, HeardAudio, Lease, MailboxRow, MessageMedia } from '@palimpsest/core';
import { cleanDeep } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, type Transaction } from '../database.ts';
import { withLease } from '../with-lease.ts';

/** Recordings that are there and whose words are not. */
export function unheardIn(mailbox: readonly MailboxRow[]): AudioToHear[] {
  return mailbox.flatMap((row) =>
    mediaOf(row).flatMap((media): AudioToHear[] => {
      const { state } = media;
      if (state.kind !== 'stored' || state.content !== 'audio' || state.text !== undefined) return [];
      return [{ seq: row.seq, media, payloadId: state.payloadId, mime: state.mime }];
    }),
  );
}

/** The rows with the texts of their text files, which are not kept with the mail. */
export async function withTexts(
  tx: Transaction,
  sessionId: string,
  mailbox: readonly MailboxRow[],
): Promise<MailboxRow[]> {
  const ids = mailbox.flatMap((row) => mediaOf(row).flatMap(textIdOf));
  if (ids.length === 0) return [...mailbox];
  const rows = await run<{ id: string; content: Buffer }>(
    tx,
    sql`SELECT id, content FROM payloads WHERE session_id = ${sessionId} AND id = ANY(${sql.param(ids)}::text[])`,
    'media_texts',
  );
  const texts = new Map(rows.map((row) => [row.id, row.content.toString('utf8')]));
  return mailbox.map((row) => withMedia(row, (media) => withText(media, texts)));
}

function textIdOf({ state }: MessageMedia): string[] {
  return state.kind === 'stored' && state.content === 'text' ? [state.payloadId] : [];
}

function withText(media: MessageMedia, texts: ReadonlyMap<string, string>): MessageMedia {
  const { state } = media;
  if (state.kind !== 'stored' || state.content !== 'text') return media;
  const text = texts.get(state.payloadId);
  return text === undefined
    ? { ...media, state: { kind: 'left', problem: 'gone' } }
    : { ...media, state: { ...state, text } };
}

/** Write down what was heard; what could not be is left. */
export function storeHeard(db: Database, lease: Lease, heard: readonly HeardAudio[]): Promise<void> {
  return withLease(db, lease, async (tx) => {
    for (const one of heard) await storeOne(tx, lease.sessionId, one);
  });
}

async function storeOne(
  tx: Transaction,
  sessionId: string,
  { seq, reference, text }: HeardAudio,
): Promise<void> {
  const left = { kind: 'left', problem: 'not_transcribed' };
  const state =
    text === null
      ? sql`${JSON.stringify(left)}::jsonb`
      : sql`(m.value->'state') || jsonb_build_object('text', ${cleanDeep(text)}::text)`;
  await run(
    tx,
    sql`UPDATE mailbox b SET content = jsonb_set(b.content, '{message,media}', (
          SELECT jsonb_agg(CASE WHEN m.value->>'reference' = ${reference} AND m.value#>>'{state,content}' = 'audio'
            THEN jsonb_set(m.value, '{state}', ${state}) ELSE m.value END ORDER BY m.ordinality)
          FROM jsonb_array_elements(b.content #> '{message,media}') WITH ORDINALITY AS m))
        WHERE b.session_id = ${sessionId} AND b.seq = ${seq}::bigint AND b.state = 'pending'
          AND b.content->'message' ? 'media'`,
    'store_heard',
  );
}

function mediaOf({ content }: MailboxRow): readonly MessageMedia[] {
  return content.kind === 'message' ? (content.message.media ?? []) : [];
}

function withMedia(row: MailboxRow, change: (media: MessageMedia) => MessageMedia): MailboxRow {
  if (row.content.kind !== 'message' || row.content.message.media === undefined) return row;
  const media = row.content.message.media.map(change);
  return { ...row, content: { ...row.content, message: { ...row.content.message, media } } };
}
