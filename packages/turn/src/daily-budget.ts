import {
  type Budget,
  budgetsOf,
  hasBudget,
  notice,
  type ChatTarget,
  type GatewayEvent,
  type Turn,
} from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { sayIn } from './words/say.ts';

/**
 * Look at the day's budgets before a turn. Where one is used up the turn ends here: the messages are kept, the person is
 * told, no model is asked. Days are those of UTC.
 *
 * returns  the budgets as they were, or null when the turn is over
 */
export async function withinBudget(claimed: ClaimedSession, turn: Turn): Promise<readonly Budget[] | null> {
  const budgets = await readBudgets(claimed, turn);
  const spent = budgets.find(({ used, limit }) => used >= limit);
  if (!spent) return budgets;
  const { deps, session } = claimed;
  deps.logger.warn(
    { sessionId: session.id, turnId: turn.id, whose: spent.whose, used: spent.used, limit: spent.limit },
    'a daily budget is used up; the message is kept and not answered',
  );
  const event: GatewayEvent = {
    type: 'agent:end',
    sessionId: session.id,
    turnId: turn.id,
    outcome: 'failed',
    steps: turn.lastStep,
  };
  await deps.store.turns.finishTurn({
    lease: claimed.lease,
    turnId: turn.id,
    outcome: 'failed',
    step: turn.lastStep,
    rows: [],
    usage: null,
    replies: [
      {
        key: `turn-${turn.id}`,
        chat: turn.chat,
        kind: 'notice',
        text: usedUpText(turn.chat, spent),
        turnId: turn.id,
      },
    ],
    events: [event],
    session: claimed.takePatch(),
  });
  return null;
}

/** After a turn: say once, when the share that the operator chose is passed, how much of the day is left. */
export async function warnOfBudget(
  claimed: ClaimedSession,
  turn: Turn,
  before: readonly Budget[],
): Promise<void> {
  if (before.length === 0) return;
  const share = claimed.deps.config.model.daily_budget.warn_share;
  const now = await readBudgets(claimed, turn);
  const passed = now.find(({ whose, used, limit }) => {
    const old = before.find((budget) => budget.whose === whose);
    return old !== undefined && old.used < limit * share && used >= limit * share;
  });
  if (!passed) return;
  claimed.deps.meter.count('gateway_budget_warnings_total', { whose: passed.whose });
  await claimed.deps.store.turns.addReplies(claimed.lease, [
    {
      key: `budget-${turn.id}`,
      chat: turn.chat,
      kind: 'notice',
      text: nearlyText(turn.chat, passed),
      turnId: turn.id,
    },
  ]);
}

async function readBudgets({ deps }: ClaimedSession, turn: Turn): Promise<Budget[]> {
  const limits = deps.config.model.daily_budget;
  if (!hasBudget(limits) || !deps.store.usage) return [];
  const { platform } = turn.chat.account;
  return budgetsOf(limits, await deps.store.usage.today({ platform, userId: senderOf(turn) }));
}

/** Whoever wrote first is whose turn it is; so the store counts it too. */
function senderOf(turn: Turn): string {
  const [first] = turn.mailbox;
  return first && first.content.kind !== 'operator' ? first.content.message.senderId : '';
}

function usedUpText(chat: ChatTarget, { whose, limit }: Budget): string {
  const say = sayIn(chat);
  if (whose === 'turns') return notice(say('answersUsedUp', { limit: say.number(limit) }));
  const text = whose === 'person' ? 'budgetUsedUp' : 'botBudgetUsedUp';
  return notice(say(text, { limit: say.dollars(limit) }));
}

function nearlyText(chat: ChatTarget, { whose, limit, used }: Budget): string {
  const say = sayIn(chat);
  if (whose === 'turns')
    return notice(say('answersNearlyUsed', { used: say.number(used), limit: say.number(limit) }));
  const text = whose === 'person' ? 'budgetNearlyUsed' : 'botBudgetNearlyUsed';
  const left = say.dollars(Math.max(0, limit - used));
  return notice(say(text, { used: say.dollars(used), limit: say.dollars(limit), left }));
}
