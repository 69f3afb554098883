import type { EngineCommand, EngineCommandEnd, EngineStateChange } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { compactSession } from '../compact-session.ts';
import type { Say } from '../words/say.ts';
import { unchangedText } from './unchanged-text.ts';

export interface EngineAnswer {
  text: string;
  /** Stored with the answer. */
  engineStates: readonly EngineStateChange[];
}

/** A command that the session's engine brings along, such as /lcm status; null: it has no such command. */
export async function engineOwnCommand(
  claimed: ClaimedSession,
  { signal, say, ...command }: { name: string; argument: string; say: Say; signal: AbortSignal },
): Promise<EngineAnswer | null> {
  const own = claimed.engine.commands().find((known: EngineCommand) => known.name === command.name);
  if (!own) return null;
  const end = await own.run(command.argument, claimed.view, say.language);
  const text = end.plan
    ? await textAfterPlan(claimed, { ...end, plan: end.plan }, { say, signal })
    : end.text;
  return { text, engineStates: end.stateChange ? [end.stateChange] : [] };
}

async function textAfterPlan(
  claimed: ClaimedSession,
  { plan, text }: EngineCommandEnd & { plan: NonNullable<EngineCommandEnd['plan']> },
  { say, signal }: { say: Say; signal: AbortSignal },
): Promise<string> {
  const wish = { plan, layer: 'manual', trigger: 'manual', mode: 'full', force: true, signal } as const;
  const done = await compactSession(claimed, wish);
  return done.applied ? text : say('asItWas', { why: unchangedText(done.reason, say) });
}
