import type { ModelInfo } from '@palimpsest/core';

/** The line of the start-up screen about prompt caching. */
export function startLine(info: ModelInfo): string {
  if (info.caching) return `💾 Prompt caching: ENABLED (${info.caching})`;
  if (info.cachingOff)
    return '💾 Prompt caching: OFF (prompt_caching.cache_ttl; every prompt costs its full price)';
  return `💾 Prompt caching: left to the provider (${info.label})`;
}
