import { dollarWords, type MailboxRow, type TurnUsage } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { counted } from './counted.ts';

/** /usage: tokens and cost of the last answer, of this conversation and of the person's day (UTC). */
export async function usageCommand(claimed: ClaimedSession, row: MailboxRow): Promise<string> {
  const { usage } = claimed.deps.store;
  if (!usage) return 'Usage is not counted here.';
  const [last, all] = await Promise.all([
    usage.lastTurn(claimed.session.id),
    usage.ofSession(claimed.session.id),
  ]);
  const lines = [
    ...(last
      ? [`Last answer: ${tokensText(last)}${last.dollars > 0 ? `, ${dollarWords(last.dollars)}` : ''}.`]
      : []),
    all.calls > 0
      ? `This conversation: ${tokensText(all)}, ${dollarWords(all.dollars)}${unpricedText(all.unpricedCalls)}.`
      : 'No model was asked in this conversation yet.',
    ...(await todayLines(claimed, row)),
  ];
  return lines.join('\n');
}

function tokensText({ calls, promptTokens, cacheReadTokens, outputTokens }: TurnUsage): string {
  const cached = promptTokens > 0 ? Math.round((cacheReadTokens / promptTokens) * 100) : 0;
  return `${counted(calls, 'model call')}, ${number(promptTokens)} tokens read (${cached} % from the cache), ${number(outputTokens)} written`;
}

function unpricedText(unpricedCalls: number): string {
  return unpricedCalls > 0 ? ` (without ${counted(unpricedCalls, 'call')} whose price is not known)` : '';
}

async function todayLines({ deps }: ClaimedSession, { chat, content }: MailboxRow): Promise<string[]> {
  if (content.kind === 'operator' || !deps.store.usage) return [];
  const sender = { platform: chat.account.platform, userId: content.message.senderId };
  const { person, personTurns } = await deps.store.usage.today(sender);
  const { person_dollars: limit, person_turns: mostTurns } = deps.config.model.daily_budget;
  const dollars = `${dollarWords(person)}${limit === null ? '' : ` of ${dollarWords(limit)}`}`;
  const turns = mostTurns === null ? '' : `, ${personTurns} of ${counted(mostTurns, 'answer')}`;
  return [`You today: ${dollars}${turns} (UTC).`];
}

function number(value: number): string {
  return value.toLocaleString('en');
}
