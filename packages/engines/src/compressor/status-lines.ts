import type { CompressionConfig, PromptBudget } from '@palimpsest/core';
import { sayIn } from '../words/say.ts';

/** What people read of the engine on /status. */
export function statusLines(
  language: string | undefined,
  {
    limits,
    budget,
    compression,
  }: {
    limits: { triggerTokens: number; prepareTokens: number };
    budget: PromptBudget;
    compression: CompressionConfig;
  },
): readonly string[] {
  const say = sayIn(language);
  if (!compression.enabled) return [say('onlyAsked')];
  return [
    say('condensedAt', {
      trigger: say.number(limits.triggerTokens),
      window: say.number(budget.windowTokens),
    }),
    compression.background
      ? say('preparedFrom', { tokens: say.number(limits.prepareTokens) })
      : say('writtenThen'),
  ];
}
