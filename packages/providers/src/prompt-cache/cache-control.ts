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
