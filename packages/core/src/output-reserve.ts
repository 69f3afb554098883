/**
 * Tokens of the window kept free for the answer: the operator's `max_tokens`, else
 * min(20,000, the model's output limit, 10 % of the window). At least 1, never the whole window.
 */
export function outputReserveTokens(input: {
  windowTokens: number;
  maxOutputTokens: number;
  configuredMaxTokens: number | null;
}): number {
  const usual = Math.min(20_000, input.maxOutputTokens, Math.floor(input.windowTokens * 0.1));
  const wanted = input.configuredMaxTokens ?? usual;
  return Math.max(1, Math.min(wanted, input.windowTokens - 1));
}
