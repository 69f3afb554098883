import type { DcpConfig } from './ground.ts';

/** The least gain that is meant for large windows is at most this share of a small one. */
const mostShare = 0.01;

/** Tokens that a compress call must save, all its entries together. */
export function leastNetTokens(config: DcpConfig, windowTokens: number): number {
  return Math.max(1, Math.min(config.minNetTokens, Math.floor(windowTokens * mostShare)));
}
