import { isClaude } from '../models/model-table.ts';

export type CacheTtl = '5m' | '1h';

/** The mark as Anthropic's and OpenRouter's wires spell it. */
export interface CacheControl {
  type: 'ephemeral';
  ttl?: '1h';
}

/** Five minutes is the wire's default and is not spelt out. */
export function cacheControl(ttl: CacheTtl): CacheControl {
  return ttl === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
}

/**
 * The life of our marks on a route, or null where none are sent: Claude on Anthropic's wire, and Claude through
 * OpenRouter, where marks sit on content parts.
 */
export function markedTtl(route: {
  wire: 'anthropic_messages' | 'chat_completions';
  provider: string;
  model: string;
  ttl: CacheTtl;
}): CacheTtl | null {
  if (!isClaude(route.model)) return null;
  return route.wire === 'anthropic_messages' || route.provider === 'openrouter' ? route.ttl : null;
}
