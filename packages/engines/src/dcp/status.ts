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

/** What people read of the engine; limits are those of the model and window now. */
export function statusOf({ config, state }: DcpDesk, model: ModelInfo, budget: PromptBudget): EngineStatus {
  const hardLimitTokens = Math.max(1, budget.windowTokens - budget.outputReserveTokens);
  const activity = blockActivity(state, { rows: [], isWhole: false });
  const stats = statsOf(state, activity);
  const limits = nudgeLimits({ config, model, budget, summaryTokens: stats.summaryTokens });
  const sizes = {
    triggerTokens: limits?.maxTokens ?? hardLimitTokens,
    prepareTokens: limits?.minTokens ?? hardLimitTokens,
    hardLimitTokens,
  };
  if (!config.enabled)
    return {
      engine: 'dcp',
      ...sizes,
      lines: ['This engine is switched off in the config; the conversation is sent whole.'],
    };
  const blocks = activeBlocks(state, activity).length;
  const lines = [
    `The model condenses finished parts itself; it is reminded between ${number(sizes.prepareTokens)} and ${number(sizes.triggerTokens)} tokens and above.`,
    `${blocks} ${blocks === 1 ? 'block stands' : 'blocks stand'} for earlier parts; about ${number(stats.netTokens + stats.markTokens)} tokens are saved.`,
  ];
  if (state.manualMode) lines.push('Manual mode: it condenses only when asked with /dcp compress.');
  return { engine: 'dcp', ...sizes, lines };
}

function number(tokens: number): string {
  return tokens.toLocaleString('en');
}
