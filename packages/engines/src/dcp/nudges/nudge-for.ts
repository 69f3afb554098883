import type { DcpState, ModelInfo, PromptBudget, TranscriptView } from '@palimpsest/core';
import type { DcpConfig } from '../compress/ground.ts';
import { protectedUnits } from '../emergency/kept-units.ts';
import { formatBlockRef } from '../refs/format-ref.ts';
import type { DcpLayout } from '../transform/lay-out.ts';
import type { DcpSizes } from '../transform/measure.ts';
import { decideNudge, type NudgeDecision, type NudgeSituation } from './decide-nudge.ts';
import { eligibleSpans } from './eligible-spans.ts';
import { nudgeGainTokens } from './nudge-gain.ts';
import { nudgeLimits } from './limits.ts';
import { usageOf } from './usage.ts';

export interface NudgeGround {
  view: TranscriptView;
  budget: PromptBudget;
  model: ModelInfo;
  config: DcpConfig;
  state: DcpState;
  layout: DcpLayout;
  sizes: DcpSizes;
}

/** What is said at the end of this request, told from rows, state and config. */
export function nudgeFor(ground: NudgeGround): NudgeDecision {
  const { state, config } = ground;
  if (config.compress.permission === 'deny') return { words: null };
  return decideNudge(state, situationOf(ground), config);
}

function situationOf(ground: NudgeGround): NudgeSituation {
  const { view, budget, model, config, state, layout, sizes } = ground;
  const usageTokens = usageOf(view, sizes.tokens, budget);
  const limits = nudgeLimits({ config, model, budget, summaryTokens: sizes.summaryTokens });
  const steps = layout.units.filter((unit) => unit.kind === 'steps');
  const lastPerson = layout.units.findLastIndex((unit) => unit.kind === 'person');
  const isAsked = state.grant !== null && !state.grant.isShown;
  const isInBand = limits !== null && usageTokens > 0 && usageTokens >= limits.minTokens;
  const isAbove = limits !== null && usageTokens > limits.maxTokens;
  const urge = isAsked ? 'asked' : isAbove ? 'firm' : 'gentle';
  return {
    usageTokens,
    limits,
    lastUnit: layout.units.at(-1)?.kind ?? 'other',
    hasAnswer: steps.length > 0,
    stepsSincePerson: layout.units.slice(lastPerson + 1).filter((unit) => unit.kind === 'steps').length,
    justCompressed: isOrigin(ground),
    spans: isAsked || isInBand ? spansOf(ground, urge) : [],
    blocks:
      config.compress.mode === 'range' ? layout.active.map((block) => formatBlockRef(block.number)) : [],
  };
}

function spansOf(
  { view, budget, config, state, layout, sizes }: NudgeGround,
  urge: 'asked' | 'gentle' | 'firm',
): readonly string[] {
  const windowTokens = budget.windowTokens;
  return eligibleSpans({
    layout,
    itemTokens: sizes.items,
    state,
    config,
    protectedUnits: protectedUnits({ state, config, view, windowTokens }),
    leastGainTokens: nudgeGainTokens(config, windowTokens, urge),
  });
}

/** The newest unit holds the call of a block. */
function isOrigin({ layout, state }: NudgeGround): boolean {
  const first = layout.units.at(-1)?.rows[0];
  return state.blocks.some(
    ({ origin }) =>
      origin !== null && origin.turnId === first?.turnId && first.toolCallIds.includes(origin.callId),
  );
}
