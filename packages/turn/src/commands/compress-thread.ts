import { never } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { compactAtProvider } from '../provider-compaction.ts';
import { failureReason } from '../texts.ts';
import type { Say } from '../words/say.ts';

/** /compress where the provider holds the conversation: it condenses its side, and ours stays as it is. */
export async function compressThread(
  claimed: ClaimedSession,
  { argument, say, signal }: { argument: string; say: Say; signal: AbortSignal },
): Promise<string> {
  if (argument.trim() !== '') return say('threadAlone');
  const done = await compactAtProvider(claimed, { layer: 'manual', trigger: 'manual' }, signal);
  switch (done.kind) {
    case 'nothing':
      return say('threadNothing');
    case 'failed':
      return say('threadFailed', { why: failureReason(say, done.failure) });
    case 'compacted': {
      const { tokensAfter } = done;
      const size = tokensAfter === null ? '' : say('threadSize', { tokens: say.number(tokensAfter) });
      return say('threadCondensed', { size });
    }
    default:
      return never(done);
  }
}
