import { createHash } from 'node:crypto';

import type { Clock, ModelInfo } from '@palimpsest/core';

import type { CachePolicy } from './prompt-cache/cache-policy.ts';

export type ProviderName = 'anthropic' | 'openai' | 'openai-codex' | 'openrouter' | 'nous' | 'custom';

export type Wire =
  | 'anthropic_messages'
  | 'chat_completions'
  | 'responses'
  | 'codex_responses'
  | 'codex_app_server';

/** One way to one model: who serves it, where, as what and in which wire format. */
export interface Route {
  provider: ProviderName;
  /** What people read: `Anthropic`. */
  providerLabel: string;
  wire: Wire;
  baseUrl: string;
  apiKey: string;
  model: string;
  /** The model's name as sent: without suffixes of ours. */
  wireModel: string;
  /** The provider may be asked to condense on its side; null: never. `thresholdTokens` null: as late as allowed. */
  nativeCompaction: { thresholdTokens: number | null } | null;
  /** How prompt prefixes are marked; null: not by us. */
  cache: CachePolicy | null;
  info: ModelInfo;
}

/** What every client needs beside its route. */
export interface ClientHelp {
  clock: Clock;
  /** 0 <= random() < 1 */
  random: () => number;
  fetch?: typeof fetch;
  /** No event for this long ends the attempt, ms. */
  idleMs: number;
}

/** Tag of provider items: they go back only to the same provider, host, account and model family. */
export function issuerOf(route: {
  provider: string;
  baseUrl: string;
  apiKey: string;
  family: string;
}): string {
  const account = createHash('sha256').update(route.apiKey).digest('hex').slice(0, 8);
  return `${route.provider}|${new URL(route.baseUrl).host}|${account}|${route.family}`;
}
