/**
 * Begin a turn: its row, its mailbox rows claimed, the person's rows in the transcript; in the caller's transaction.
 * Where a voice message is among them that nobody has heard, nothing is written and it is named.
 */
import { randomUUID } from 'node:crypto';
import {
  type Lease,
  type MailboxRow,
  type NewRow,
  type NextWork,
  seriesHeads,
  type SeriesPiece,
  type Turn,
} from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { lastly, run, runOne, together, type Transaction } from '../database.ts';
import { appendRows, isOneStatement } from '../transcript/append-rows.ts';
import { unheardIn, withTexts } from '../media/media-of-mail.ts';
import type { Choice } from './choose-rows.ts';
import type { KnownView, LiveViews } from '../transcript/live-view.ts';
import { readMailboxSeqs } from './mailbox-record.ts';
import { tellWanted } from '../write-events.ts';

/** Edits of one chat that ride along with a turn; more wait for the next. */
const maxEdits = 50;

export interface ChosenMessages extends Pick<
  Extract<Choice, { kind: 'messages' }>,
  'seqs' | 'chatRowId' | 'beforeSeq'
> {
  render: (row: MailboxRow, goesOn: boolean) => NewRow;
}

export interface OpenedTurn {
  kind: 'turn';
  turn: Turn;
  view?: KnownView;
}

export async function openTurn(
  tx: Transaction,
  lease: Lease,
  chosen: ChosenMessages & { views: LiveViews; bodies?: number; mailbox: MailboxRow[] | null },
): Promise<OpenedTurn | Extract<NextWork, { kind: 'audio' }>> {
  const { sessionId } = lease;
  const waiting = chosen.mailbox ?? (await readWaiting(tx, sessionId, chosen));
  const audio = unheardIn(waiting);
  if (audio.length > 0) return { kind: 'audio', audio };
  const mailbox = await withTexts(tx, sessionId, waiting);
  const id = randomUUID();
  const rows = renderRows(mailbox, chosen.render);
  // The last thing the claiming transaction does: it is committed with it where nothing is left to send.
  const end: typeof together = isOneStatement(rows) ? (send) => lastly(tx, send) : together;
  const [startedAt, , , view] = await end(() => [
    insertTurn(tx, lease, { id, chatRowId: chosen.chatRowId, mailbox }),
    claimRows(tx, sessionId, { id, mailbox }),
    appendRows(tx, { sessionId, turnId: id, step: 0 }, rows),
    chosen.bodies === undefined
      ? Promise.resolve(undefined)
      : chosen.views.read(tx, { sessionId, newest: chosen.bodies }),
  ]);
  const [first] = mailbox as [MailboxRow];
  return {
    kind: 'turn',
    turn: { id, sessionId, chat: first.chat, attempt: 1, lastStep: 0, startedAt, mailbox, openRound: null },
    ...(view && { view }),
  };
}

/** One row each, so that every message can be found, corrected and erased by itself. */
export function renderRows(mailbox: readonly MailboxRow[], render: ChosenMessages['render']): NewRow[] {
  const pieces = mailbox.map(({ content }): SeriesPiece =>
    content.kind === 'message' ? content.message : { senderId: null, sentAt: new Date(0) },
  );
  const heads = seriesHeads(pieces);
  return mailbox.map((row, index) => {
    const head = heads[index] as number;
    // What was forwarded together was said apart.
    return render(row, head !== index && pieces[head]?.series !== 'forwards');
  });
}

/** The chosen rows and the edits that ride along, in mailbox order. */
export function readWaiting(
  tx: Transaction,
  sessionId: string,
  chosen: ChosenMessages,
): Promise<MailboxRow[]> {
  const { chatRowId, beforeSeq } = chosen;
  return readMailboxSeqs(tx, sessionId, {
    seqs: chosen.seqs,
    and: sql`ARRAY(
      SELECT seq FROM mailbox WHERE session_id = ${sessionId} AND state IN ('pending', 'claimed') AND state = 'pending'
        AND kind = 'edit' AND chat_row_id = ${chatRowId}::bigint
        AND seq < coalesce(${beforeSeq}::bigint, 9223372036854775807) ORDER BY seq LIMIT ${maxEdits}::int)`,
  });
}

export function claimRows(
  tx: Transaction,
  sessionId: string,
  turn: { id: string; mailbox: readonly MailboxRow[] },
): Promise<unknown> {
  return run(
    tx,
    sql`UPDATE mailbox SET state = 'claimed', turn_id = ${turn.id}, attempts = attempts + 1
        WHERE session_id = ${sessionId} AND seq = ANY(${sql.param(turn.mailbox.map((row) => row.seq))}::bigint[])`,
    'claim_mailbox',
  );
}

async function insertTurn(
  tx: Transaction,
  lease: Lease,
  turn: { id: string; chatRowId: number; mailbox: readonly MailboxRow[] },
): Promise<Date> {
  const seqs = turn.mailbox.map((row) => row.seq);
  const row = await runOne<{ started_at: Date }>(
    tx,
    sql`WITH turn AS (
          INSERT INTO turns (session_id, id, chat_row_id, first_mailbox_seq, last_mailbox_seq, epoch)
          VALUES (${lease.sessionId}, ${turn.id}, ${turn.chatRowId}::bigint, ${seqs[0] ?? 0}::bigint,
                  ${seqs.at(-1) ?? 0}::bigint, ${lease.epoch}::bigint)
          RETURNING session_id, id, started_at),
        ${tellWanted(sql`SELECT session_id, 'agent:start', jsonb_build_object('type', 'agent:start', 'sessionId', session_id,
          'turnId', id, 'messages', ${seqs.length}::int) FROM turn`)}
        SELECT started_at FROM turn`,
    'insert_turn',
  );
  return (row as { started_at: Date }).started_at;
}
