import type { EngineCommand, EngineCommandEnd, EngineStateChange } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { compactSession } from '../compact-session.ts';

export interface EngineAnswer {
  text: string;
  /** Stored with the answer. */
  engineStates: readonly EngineStateChange[];
}

/** A command that the session's engine brings along, such as /lcm status; null: it has no such command. */
export async function engineOwnCommand(
  claimed: ClaimedSession,
  command: { name: string; argument: string },
  signal: AbortSignal,
): Promise<EngineAnswer | null> {
  const own = claimed.engine.commands().find((known: EngineCommand) => known.name === command.name);
  if (!own) return null;
  const end = await own.run(command.argument, claimed.view);
  const text = end.plan ? await textAfterPlan(claimed, { ...end, plan: end.plan }, signal) : end.text;
  return { text, engineStates: end.stateChange ? [end.stateChange] : [] };
}

async function textAfterPlan(
  claimed: ClaimedSession,
  { plan, text }: EngineCommandEnd & { plan: NonNullable<EngineCommandEnd['plan']> },
  signal: AbortSignal,
): Promise<string> {
  const wish = { plan, layer: 'manual', trigger: 'manual', mode: 'full', force: true, signal } as const;
  const done = await compactSession(claimed, wish);
  return done.applied ? text : `Nothing was changed (${done.reason}).`;
}
