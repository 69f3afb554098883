import type { ClaimedSession } from '../claimed-session.ts';
import { compactSession } from '../compact-session.ts';

/** Fewer rows than this are not worth a summary (session-commands.md section 3). */
const minRows = 4;

/** /compress [focus]: one attempt now, past cooldowns; the answer says what changed. */
export async function compressCommand(
  claimed: ClaimedSession,
  focus: string,
  signal: AbortSignal,
): Promise<string> {
  const before = claimed.state();
  if (before.liveRows < minRows) return `There is nothing to condense yet: ${before.liveRows} messages.`;
  const topic = focus.trim();
  const wish = {
    layer: 'manual',
    trigger: 'manual',
    mode: 'full',
    force: true,
    focus: topic === '' ? undefined : topic,
    signal,
  } as const;
  const done = await compactSession(claimed, wish);
  if (!done.applied)
    return `Nothing was changed (${done.outcome}: ${done.reason}). The conversation is as it was.`;
  const { rowsBefore, rowsAfter, tokensBefore, tokensAfter } = done.applied.figures;
  const how =
    done.outcome === 'deterministic'
      ? ' The summary model failed, so a plain local summary stands in its place.'
      : '';
  return `Condensed: ${rowsBefore} → ${rowsAfter} messages, about ${tokensBefore.toLocaleString('en')} → ${tokensAfter.toLocaleString('en')} tokens.${how} Older lines stay searchable.`;
}
