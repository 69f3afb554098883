import { notice, type NewReply, type Session, type Turn } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { sayIn } from './words/say.ts';

type Told = Session['troubleTold'];

const weight = { took_over: 1, failed: 2 } as const;

/** Whether this is news: the person hears of each kind of trouble once, until a summary comes as it should. */
export function isNews({ session }: ClaimedSession, told: NonNullable<Told>): boolean {
  return session.troubleTold === null || weight[session.troubleTold] < weight[told];
}

export async function rememberTold(claimed: ClaimedSession, told: NonNullable<Told>): Promise<void> {
  if (!isNews(claimed, told)) return;
  await claimed.deps.store.turns.patchSession(claimed.lease, { troubleTold: told });
  claimed.view.session = { ...claimed.session, troubleTold: told };
}

/**
 * Tell the person, once a streak, that summaries fail while the conversation is over the trigger, or that the main model
 * wrote one in the place of the summary model. Trouble that does not matter yet is not told.
 */
export async function tellTrouble(claimed: ClaimedSession, turn: Turn | null): Promise<void> {
  const trouble = turn && troubleOf(claimed, turn);
  if (!trouble || !isNews(claimed, trouble.told)) return;
  const reply: NewReply = {
    key: `trouble-${trouble.told}-${turn.id}`,
    chat: turn.chat,
    kind: 'notice',
    text: notice(trouble.text),
    turnId: turn.id,
  };
  await claimed.deps.store.turns.addReplies(claimed.lease, [reply]);
  await rememberTold(claimed, trouble.told);
}

function troubleOf(claimed: ClaimedSession, turn: Turn): { told: NonNullable<Told>; text: string } | null {
  const { session, deps, engine } = claimed;
  const { budget, promptTokens } = claimed.state();
  if (session.failureStreak > 0 && promptTokens >= engine.getStatus(budget).triggerTokens)
    return { told: 'failed', text: sayIn(turn.chat)('notCondensed') };
  if (session.auxiliaryFailed === null) return null;
  const names = { failed: session.auxiliaryFailed, wrote: deps.model.info.name };
  return { told: 'took_over', text: sayIn(turn.chat)('mainTookOver', names) };
}
