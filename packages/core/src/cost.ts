import type { ModelPrice } from './ports/model.ts';
import type { Usage } from './usage.ts';

const million = 1_000_000;

/**
 * US dollars of one model call. The prompt is the uncached part at the input price, what was read from the cache and what
 * was written to it at theirs; reasoning is part of the answer. Where long prompts cost more, all of it does.
 */
export function callDollars(usage: Usage, price: ModelPrice): number {
  const { longPrompt } = price;
  const { input, output, cacheRead, cacheWrite } =
    longPrompt && usage.promptTokens > longPrompt.aboveTokens ? longPrompt : price;
  const plainTokens = Math.max(0, usage.promptTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
  const dollars =
    plainTokens * input +
    usage.cacheReadTokens * cacheRead +
    usage.cacheWriteTokens * cacheWrite +
    usage.outputTokens * output;
  return dollars / million;
}

/** `$0.42`, three digits below a dollar; `under $0.001` for what is hardly anything. */
export function dollarWords(dollars: number): string {
  if (dollars > 0 && dollars < 0.001) return 'under $0.001';
  return `$${dollars.toFixed(dollars < 1 ? 3 : 2)}`;
}
