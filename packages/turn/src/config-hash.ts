import { createHash } from 'node:crypto';
import type { TurnDeps } from './deps.ts';

/** What a prepared plan depends on beside its rows: the settings of compaction and engines, and the model. */
export function compactionConfigHash(deps: Pick<TurnDeps, 'config' | 'model'>): string {
  const { compression, auxiliary, context } = deps.config;
  const { label, windowTokens } = deps.model.info;
  return createHash('sha256')
    .update(JSON.stringify({ compression, auxiliary, context, label, windowTokens }))
    .digest('hex')
    .slice(0, 16);
}
