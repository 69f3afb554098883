import { never } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { compactAtProvider } from '../provider-compaction.ts';

/** /compress where the provider holds the conversation: it condenses its side, and ours stays as it is. */
export async function compressThread(
  claimed: ClaimedSession,
  argument: string,
  signal: AbortSignal,
): Promise<string> {
  const held = 'The model itself holds this conversation';
  if (argument.trim() !== '') return `${held}: there is no preview and no focus; send /compress alone.`;
  const done = await compactAtProvider(claimed, { layer: 'manual', trigger: 'manual' }, signal);
  switch (done.kind) {
    case 'nothing':
      return `${held} and has nothing to condense yet.`;
    case 'failed':
      return `${held} and could not condense it: ${done.failure.message}. It is as it was.`;
    case 'compacted': {
      const size =
        done.tokensAfter === null ? '' : ` to about ${done.tokensAfter.toLocaleString('en')} tokens`;
      return `${held} and has condensed it${size}. Every message here stays as it was.`;
    }
    default:
      return never(done);
  }
}
