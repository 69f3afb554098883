/** Messages that came while a turn runs become part of it. */
import type { JoinedMail, Lease, Turn, WorkOptions } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, together, type Transaction } from '../database.ts';
import { appendRows } from '../transcript/append-rows.ts';
import { unheardIn, withTexts } from '../media/media-of-mail.ts';
import { withLease } from '../with-lease.ts';
import { chooseRows } from './choose-rows.ts';
import { deniedOf, pendingSenders } from './drop-denied.ts';
import { claimRows, readWaiting, renderRows } from './open-turn.ts';
import { waitingRows } from './waiting-rows.ts';

const nothing: JoinedMail = { mailbox: [], rows: [] };

/**
 * What `nextWork` would take next, if it is of the turn's chat and of nobody but people whom the turn answers: it has the
 * rights of those it began with. Rows of a person are step 0 of their turn, whenever they joined it.
 */
export function joinTurn(
  db: Database,
  lease: Lease,
  { turn, options }: { turn: Turn; options: WorkOptions },
): Promise<JoinedMail> {
  return withLease(db, lease, async (tx) => {
    const [senders, waiting] = await together(() => [
      pendingSenders(tx, lease.sessionId),
      waitingRows(tx, lease.sessionId, options.maxTexts + 1),
    ]);
    const choice = chooseRows(waiting.rows, options);
    const known = new Set(
      turn.mailbox.map(({ content }) => (content.kind === 'operator' ? '' : content.message.senderId)),
    );
    const fits =
      choice.kind === 'messages' &&
      choice.chatRowId === turn.chat.chatRowId &&
      choice.senderIds.every((id) => known.has(id)) &&
      deniedOf(senders, options.lists).length === 0;
    return fits ? take(tx, { lease, turn, chosen: { ...choice, render: options.render } }) : nothing;
  });
}

async function take(
  tx: Transaction,
  { lease, turn, chosen }: { lease: Lease; turn: Turn; chosen: Parameters<typeof readWaiting>[2] },
): Promise<JoinedMail> {
  const { sessionId } = lease;
  const waiting = await readWaiting(tx, sessionId, chosen);
  // What is to be heard first waits for a turn of its own.
  if (unheardIn(waiting).length > 0) return nothing;
  const mailbox = await withTexts(tx, sessionId, waiting);
  const at = { sessionId, turnId: turn.id, step: 0, firstPart: turn.mailbox.length };
  const [rows] = await together(() => [
    appendRows(tx, at, renderRows(mailbox, chosen.render)),
    claimRows(tx, sessionId, { id: turn.id, mailbox }),
    run(
      tx,
      sql`UPDATE turns SET last_mailbox_seq = greatest(last_mailbox_seq, ${mailbox.at(-1)?.seq ?? 0}::bigint)
          WHERE session_id = ${sessionId} AND id = ${turn.id}`,
      'join_turn',
    ),
  ]);
  return { mailbox, rows };
}
