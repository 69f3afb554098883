import type { DcpConfig } from '../compress/ground.ts';
import { leastNetTokens } from '../compress/least-net.ts';

/**
 * Each compression has the prompt read anew from its place on, so a nudge waits for parts that make up for it: below the
 * upper limit a tenth of the window, above it less, since room itself is wanted then.
 */
const gentleShare = 0.1;
const firmShare = 0.04;

/** Tokens that a part must save to be named in a nudge; asked for by a person: what the tool demands. */
export function nudgeGainTokens(
  config: DcpConfig,
  windowTokens: number,
  urge: 'asked' | 'gentle' | 'firm',
): number {
  const demanded = leastNetTokens(config, windowTokens);
  if (urge === 'asked') return demanded;
  const share = urge === 'firm' ? firmShare : gentleShare;
  return Math.max(demanded, Math.floor(windowTokens * share));
}
