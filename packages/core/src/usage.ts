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
  /** US dollars; left out where nobody knows the price. */
  costDollars?: number;
  /** Set where another model than the session's answered. */
  answeredBy?: { name: string; label: string };
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

/** Two calls as one. What only one of them can have said is the later one's. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    ...costOfBoth(a, b),
    ...((b.answeredBy ?? a.answeredBy) ? { answeredBy: b.answeredBy ?? a.answeredBy } : {}),
    raw: b.raw ?? a.raw,
  };
}

function costOfBoth(a: Usage, b: Usage): Pick<Usage, 'costDollars'> {
  if (a.costDollars === undefined && b.costDollars === undefined) return {};
  return { costDollars: (a.costDollars ?? 0) + (b.costDollars ?? 0) };
}
