import { isObject } from './json-peer.ts';

const names = [
  'totalTokens',
  'inputTokens',
  'cachedInputTokens',
  'cacheWriteInputTokens',
  'outputTokens',
  'reasoningOutputTokens',
] as const;

export type TokenCounts = Record<(typeof names)[number], number>;

/** Token counts of a thread, as the server reports them. */
export interface ThreadCounts {
  /** The last answer of the model; right after a compaction an estimate of what is left, with `totalTokens` alone. */
  last: TokenCounts;
  /** Everything so far: only grows, compactions included, and says nothing about the size of the prompt. */
  total: TokenCounts;
  /** Tokens of the prompt in use, the last answer left out. */
  contextTokens: number;
}

export function readCounts(usage: unknown): ThreadCounts | null {
  if (!isObject(usage)) return null;
  const [last, total] = [countsOf(usage['last']), countsOf(usage['total'])];
  return { last, total, contextTokens: last.totalTokens - last.outputTokens };
}

function countsOf(value: unknown): TokenCounts {
  const counts = isObject(value) ? value : {};
  const pairs = names.map((name) => [name, typeof counts[name] === 'number' ? counts[name] : 0] as const);
  return Object.fromEntries(pairs) as TokenCounts;
}
