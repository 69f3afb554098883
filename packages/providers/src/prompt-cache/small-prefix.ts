import { estimateOverhead } from '@palimpsest/core';
import type { ModelRequest } from '@palimpsest/core';

/** Our estimate may be too low by as much; only what is surely too small counts as small. */
const surelyBelow = 0.5;

/** Are tools and the first system block surely below what the model caches? Then their mark would do nothing. */
export function isSmallPrefix(
  { system, tools }: Pick<ModelRequest, 'system' | 'tools'>,
  minimumTokens: number | null,
): boolean {
  if (minimumTokens === null) return false;
  return estimateOverhead(system.slice(0, 1), tools) < minimumTokens * surelyBelow;
}
