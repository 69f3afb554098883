import type { MailboxRow, NewReply } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { chooseExchanges, type ChosenExchanges } from './choose-exchanges.ts';

const mostAtOnce = 1_000;

/**
 * /undo [N]: the last N exchanges are taken back, at most down to the newest summary. Answered in the same transaction.
 * returns  why nothing was done, which is left to tell; null when it was done
 */
export async function undoCommand(
  claimed: ClaimedSession,
  row: MailboxRow,
  wish: { argument: string; replyWith: (text: string) => NewReply },
): Promise<string | null> {
  const count = countOf(wish.argument);
  if (count === null) return `/undo takes a whole number from 1 to ${number(mostAtOnce)}, such as /undo 2.`;
  const { turns } = claimed.deps.store;
  const summaryEnd = await turns.summaryEnd(claimed.session.id);
  const chosen = chooseExchanges(claimed.view.rows, { count, summaryEnd });
  const { fromSeq } = chosen;
  if (fromSeq === null) return nothingText(chosen);
  const text = takenText(chosen, count);
  const isOperator = row.content.kind === 'operator';
  const replies = isOperator ? [] : [wish.replyWith(text)];
  await turns.undoTurns(claimed.lease, { fromSeq, row, answer: isOperator ? text : null, replies });
  const { exchanges, messages } = chosen;
  claimed.deps.logger.info({ sessionId: claimed.session.id, exchanges, messages }, 'exchanges taken back');
  await claimed.refresh();
  return null;
}

function countOf(argument: string): number | null {
  const wished = argument.trim();
  if (wished === '') return 1;
  const count = /^\d{1,4}$/.test(wished) ? Number(wished) : 0;
  return count >= 1 && count <= mostAtOnce ? count : null;
}

function nothingText({ endedAtSummary }: ChosenExchanges): string {
  return endedAtSummary
    ? 'What was said before is told in a summary, so it cannot be taken back piece by piece. /undo_compaction brings it back word for word first.'
    : 'There is nothing to take back.';
}

function takenText({ exchanges, messages, endedAtSummary }: ChosenExchanges, count: number): string {
  const what = exchanges === 1 ? 'the last exchange' : `the last ${number(exchanges)} exchanges`;
  const size = `${number(messages)} ${messages === 1 ? 'message' : 'messages'}`;
  const short =
    exchanges === count
      ? ''
      : endedAtSummary
        ? ` Not ${number(count)}: what was said before is told in a summary.`
        : ` There were no more than that.`;
  return `Taken back: ${what} (${size}). The model no longer reads or finds it.${short}`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}
