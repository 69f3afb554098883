import type { CachePolicy } from '../../packages/providers/src/prompt-cache/cache-policy.ts';

/** Marks as on Anthropic's own wire, five minutes. */
export function aPolicy(changes: Partial<CachePolicy> = {}): CachePolicy {
  return {
    style: 'native',
    layout: 'system_and_3',
    systemTtl: '5m',
    messageTtl: '5m',
    markToolRows: true,
    minimumTokens: null,
    label: 'Claude via Anthropic, 5m TTL',
    ...changes,
  };
}
