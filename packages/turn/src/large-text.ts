import type { ClaimedSession } from './claimed-session.ts';

/** A text over this many tokens is kept as a payload and referenced: a quarter of the window, or what the engine says. */
export function largeTextTokens({ deps, engine, windowTokens }: ClaimedSession): number {
  const quarter = Math.floor(windowTokens / 4);
  if (engine.name !== 'lcm') return quarter;
  return Math.min(quarter, deps.config.context.lcm.large_file_threshold_tokens);
}
