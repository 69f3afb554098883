import type { DcpConfig } from '../compress/ground.ts';

/** The least gain that is meant for large windows is at most this share of a small one. */
const mostShare = 0.01;
/**
 * Each compression has the prompt read anew from its place on, so a nudge waits for parts that make up for it: below the
 * upper limit a tenth of the window, above it less, since room itself is wanted then.
 */
const gentleShare = 0.1;
const firmShare = 0.04;

/** Tokens that a compression must save. */
export function leastGainTokens(config: DcpConfig, windowTokens: number): number {
  return Math.max(1, Math.min(config.minNetTokens, Math.floor(windowTokens * mostShare)));
}

/** Tokens that a part must save to be named in a nudge; asked for by a person: what the tool demands. */
export function nudgeGainTokens(
  config: DcpConfig,
  windowTokens: number,
  urge: 'asked' | 'gentle' | 'firm',
): number {
  const demanded = leastGainTokens(config, windowTokens);
  if (urge === 'asked') return demanded;
  const share = urge === 'firm' ? firmShare : gentleShare;
  return Math.max(demanded, Math.floor(windowTokens * share));
}
