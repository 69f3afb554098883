import type { MailboxRow, NewReply } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { sayTo } from '../texts.ts';
import type { Say } from '../words/say.ts';
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
  const say = sayTo(row);
  if (count === null) return say('undoArgument', { most: say.number(mostAtOnce) });
  const { turns } = claimed.deps.store;
  const summaryEnd = await turns.summaryEnd(claimed.session.id);
  const chosen = chooseExchanges(claimed.view.rows, { count, summaryEnd });
  const { fromSeq } = chosen;
  if (fromSeq === null) return say(chosen.endedAtSummary ? 'undoAtSummary' : 'undoNothing');
  const text = takenText(chosen, count, say);
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

function takenText(chosen: ChosenExchanges, count: number, say: Say): string {
  const { exchanges, endedAtSummary } = chosen;
  const messages = say.counted(chosen.messages, 'message');
  const what =
    exchanges === 1
      ? say('undoneOne', { messages })
      : say('undoneMany', { count: say.number(exchanges), messages });
  if (exchanges === count) return what;
  return what + (endedAtSummary ? say('undoNotAll', { count: say.number(count) }) : say('undoNoMore'));
}
