export type Band = 'low' | 'medium' | 'high';

export interface DynamicChunkInput {
  isEnabled: boolean;
  /** The size without traffic. */
  floorTokens: number;
  maxTokens: number;
  triggerTokens: number;
  /** Of the turns since the last leaf. */
  averageTurnTokens: number;
  previous: Band;
  cache: 'hot' | 'cold' | 'unknown';
}

const times: Record<Band, number> = { low: 1, medium: 1.5, high: 2 };
/** Shares of the floor at which a band is entered and left: apart from each other, so that it does not flap. */
const enter = { medium: 0.5, high: 1 };
const leave = { medium: 0.35, high: 0.75 };

/** How large a leaf chunk is: larger with more traffic, largest where the state of the cache makes few passes better. */
export function dynamicChunk(input: DynamicChunkInput): { band: Band; tokens: number } {
  const { floorTokens, triggerTokens } = input;
  if (!input.isEnabled) return { band: 'low', tokens: floorTokens };
  const max = Math.max(floorTokens, Math.min(input.maxTokens, floorTokens * times.high, triggerTokens));
  const band = bandOf(input);
  if (input.cache !== 'unknown') return { band, tokens: max };
  return { band, tokens: Math.min(max, Math.floor(floorTokens * times[band])) };
}

function bandOf({ averageTurnTokens, floorTokens, previous }: DynamicChunkInput): Band {
  const share = averageTurnTokens / floorTokens;
  if (share >= enter.high) return 'high';
  if (previous === 'high' && share >= leave.high) return 'high';
  if (share >= enter.medium) return 'medium';
  if (previous !== 'low' && share >= leave.medium) return 'medium';
  return 'low';
}

/** The size to try after a provider refused this one; null when there is no smaller one. */
export function smallerChunk(tokens: number, floorTokens: number): number | null {
  const sizes = [times.high, times.medium, times.low].map((factor) => Math.floor(floorTokens * factor));
  return sizes.find((size) => size < tokens) ?? null;
}
