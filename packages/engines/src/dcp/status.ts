import {
  activeBlocks,
  blockActivity,
  type EngineStatus,
  type ModelInfo,
  type PromptBudget,
} from '@palimpsest/core';
import { nudgeLimits } from './nudges/limits.ts';
import type { DcpDesk } from './state/desk.ts';
import { statsOf } from './state/stats.ts';
import { sayIn } from '../words/say.ts';

/** What people read of the engine; limits are those of the model and window now. */
export function statusOf(
  { config, state }: DcpDesk,
  { model, budget, language }: { model: ModelInfo; budget: PromptBudget; language: string | undefined },
): EngineStatus {
  const hardLimitTokens = Math.max(1, budget.windowTokens - budget.outputReserveTokens);
  const activity = blockActivity(state, { rows: [], isWhole: false });
  const stats = statsOf(state, activity);
  const limits = nudgeLimits({ config, model, budget, summaryTokens: stats.summaryTokens });
  const triggerTokens = limits?.maxTokens ?? hardLimitTokens;
  const prepareTokens = limits?.minTokens ?? hardLimitTokens;
  return {
    engine: 'dcp',
    // Its limits may be tokens as well as shares.
    thresholdRaw: triggerTokens / budget.windowTokens,
    triggerTokens,
    prepareTokens,
    hardLimitTokens,
    // Limits are asked for at every request, lines only by people.
    get lines() {
      const say = sayIn(language);
      if (!config.enabled) return [say('dcpSwitchedOff')];
      const blocks = say.counted(activeBlocks(state, activity).length, 'block');
      return [
        say('dcpGuided', { min: say.number(prepareTokens), max: say.number(triggerTokens) }),
        say('dcpStanding', { blocks, tokens: say.number(stats.netTokens + stats.markTokens) }),
        ...(state.manualMode ? [say('dcpManualNote')] : []),
      ];
    },
  };
}
