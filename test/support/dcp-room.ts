/** Conversations of the model-guided engine that need room, and what is asked of its plans. */
import type { CompactionPlan, NoPlan } from '@palimpsest/core';
import { DcpWorld, type DcpChanges } from './dcp-world.ts';
import { ScriptedSummariser, words } from './memory-transcript.ts';

/** Window of these worlds, in tokens. */
export const windowTokens = 32_000;

/** `turns` exchanges of about 1,100 tokens each, and a last question. */
export function longWorld(turns: number, config: DcpChanges = {}): DcpWorld {
  const world = new DcpWorld({ windowTokens, config });
  for (let turn = 1; turn <= turns; turn++) {
    world.say(`question ${turn}: ${words(400)}`);
    world.answer(`answer ${turn}: ${words(560)}`);
  }
  world.say('and now?');
  return world;
}

export function sizeOf(world: DcpWorld): number {
  return world.budget.overheadTokens + world.engine.measure!(world.transcript).tokens;
}

export function planOf(made: CompactionPlan | NoPlan): CompactionPlan {
  if (made.kind === 'none') throw new Error(`no plan: ${made.outcome} ${made.reason} ${made.message}`);
  return made;
}

export const failing = (): ScriptedSummariser =>
  new ScriptedSummariser([
    {
      kind: 'failed',
      reason: 'summary_provider_5xx',
      policy: 'abort',
      cooldownMs: 60_000,
      message: 'the summary model is down',
    },
  ]);
