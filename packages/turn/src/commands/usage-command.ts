import type { MailboxRow, TurnUsage } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { sayTo } from '../texts.ts';
import type { Say } from '../words/say.ts';

/** /usage: tokens and cost of the last answer, of this conversation and of the person's day (UTC). */
export async function usageCommand(claimed: ClaimedSession, row: MailboxRow): Promise<string> {
  const { usage } = claimed.deps.store;
  const say = sayTo(row);
  if (!usage) return say('usageNone');
  const [last, all] = await Promise.all([
    usage.lastTurn(claimed.session.id),
    usage.ofSession(claimed.session.id),
  ]);
  const lines = [
    ...(last ? [say('usageLast', { tokens: tokensText(last, say) + priceOf(last, say) })] : []),
    all.calls > 0
      ? say('usageAll', {
          tokens: tokensText(all, say),
          dollars: say.dollars(all.dollars),
          unpriced: unpricedText(all.unpricedCalls, say),
        })
      : say('usageNoCalls'),
    ...(await todayLines(claimed, row, say)),
  ];
  return lines.join('\n');
}

function priceOf({ dollars }: { dollars: number }, say: Say): string {
  return dollars > 0 ? `, ${say.dollars(dollars)}` : '';
}

function tokensText(usage: TurnUsage, say: Say): string {
  const { calls, promptTokens, cacheReadTokens, outputTokens } = usage;
  const cached = promptTokens > 0 ? Math.round((cacheReadTokens / promptTokens) * 100) : 0;
  return say('usageTokens', {
    calls: say.counted(calls, 'modelCall'),
    read: say.number(promptTokens),
    cached,
    written: say.number(outputTokens),
  });
}

function unpricedText(unpricedCalls: number, say: Say): string {
  return unpricedCalls > 0 ? say('usageUnpriced', { calls: say.counted(unpricedCalls, 'call') }) : '';
}

async function todayLines(
  { deps }: ClaimedSession,
  { chat, content }: MailboxRow,
  say: Say,
): Promise<string[]> {
  if (content.kind === 'operator' || !deps.store.usage) return [];
  const sender = { platform: chat.account.platform, userId: content.message.senderId };
  const { person, personTurns } = await deps.store.usage.today(sender);
  const { person_dollars: limit, person_turns: mostTurns } = deps.config.model.daily_budget;
  const used = say.dollars(person);
  const dollars = limit === null ? used : say('usageOf', { used, limit: say.dollars(limit) });
  const turns =
    mostTurns === null
      ? ''
      : `, ${say('usageOf', { used: personTurns, limit: say.counted(mostTurns, 'answer') })}`;
  return [say('usageToday', { dollars, turns })];
}
