import { createHash } from 'node:crypto';

import type { Clock, ModelInfo } from '@palimpsest/core';

import type { CacheTtl } from './prompt-cache/cache-control.ts';

export type ProviderName = 'anthropic' | 'openai' | 'openrouter' | 'nous' | 'custom';

/** One way to one model: who serves it, where, as what and in which wire format. */
export interface Route {
  provider: ProviderName;
  /** What people read: `Anthropic`. */
  providerLabel: string;
  wire: 'anthropic_messages' | 'chat_completions';
  baseUrl: string;
  apiKey: string;
  model: string;
  cacheTtl: CacheTtl | null;
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
