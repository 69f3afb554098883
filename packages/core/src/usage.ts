/** Tokens of one provider response, normalised; `promptTokens` is the whole prompt, cached parts included. */
export interface Usage {
  promptTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /**
   * Tokens of the next prompt, without the answer, where the rows do not tell them: the provider condensed its own view.
   * Left out: `promptTokens` is what the rows make.
   */
  contextTokens?: number;
  /** The provider's own object, as received. */
  raw?: unknown;
}

export const noUsage: Usage = {
  promptTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}
