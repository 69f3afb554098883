import type { ModelInfo } from '@palimpsest/core';

/** The line of the start-up screen about prompt caching. */
export function startLine(info: ModelInfo): string {
  if (info.caching) return `💾 Prompt caching: ENABLED (${info.caching})`;
  return `💾 Prompt caching: left to the provider (${info.label})`;
}
