import type { ClaimedSession } from '../claimed-session.ts';
import type { Say } from '../words/say.ts';
import { compactSession } from '../compact-session.ts';
import { countAttempt } from '../declined.ts';
import { isHeldByProvider } from '../provider-compaction.ts';
import { priceWords } from '../preview-price.ts';
import { previewCompaction, type CompactionPreview } from '../preview-compaction.ts';
import { compressThread } from './compress-thread.ts';
import { unchangedText } from './unchanged-text.ts';

/** Fewer rows than this are not worth a summary. */
const minRows = 4;
const byHand = { layer: 'manual', trigger: 'manual' } as const;
/** Both words are known from other tools. */
const previewWord = /^(?:--preview|--dry-run)(?:\s+|$)/;

/** /compress [--preview] [focus]: one attempt now, past cooldowns; the answer says what changed or would change. */
export async function compressCommand(
  claimed: ClaimedSession,
  { argument, say, signal }: { argument: string; say: Say; signal: AbortSignal },
): Promise<string> {
  if (isHeldByProvider(claimed)) return compressThread(claimed, { argument, say, signal });
  const before = claimed.state();
  if (before.liveRows < minRows) {
    countAttempt(claimed, byHand, { outcome: 'skipped', reason: 'too_few_messages' });
    return unchangedText('too_few_messages', say);
  }
  const wished = argument.trim();
  const topic = wished.replace(previewWord, '').trim();
  const focus = topic === '' ? undefined : topic;
  if (previewWord.test(wished)) return previewText(await previewCompaction(claimed, { focus, signal }), say);
  return condense(claimed, { focus, say, signal });
}

async function condense(
  claimed: ClaimedSession,
  { focus, say, signal }: { focus: string | undefined; say: Say; signal: AbortSignal },
): Promise<string> {
  const wish = { ...byHand, mode: 'full', force: true, focus, signal } as const;
  const done = await compactSession(claimed, wish);
  if (done.reason === 'model_asked') return say('condenseAsked');
  if (!done.applied) return say('asItWas', { why: unchangedText(done.reason, say) });
  const { rowsBefore, rowsAfter, tokensBefore, tokensAfter } = done.applied.figures;
  const how = done.outcome === 'deterministic' ? say('condensedPlain') : '';
  const tokens = { before: say.number(tokensBefore), after: say.number(tokensAfter) };
  return say('condensedNow', { rowsBefore, rowsAfter, how, ...tokens });
}

function previewText(preview: CompactionPreview, say: Say): string {
  if (preview.ranges.length === 0) return say('previewNothing', { why: unchangedText(preview.reason, say) });
  const ranges = preview.ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`));
  const lines = [
    say('previewSizes', {
      rowsBefore: preview.rowsBefore,
      rowsAfter: preview.rowsAfter,
      before: say.number(preview.tokensBefore),
      after: say.number(preview.tokensAfter),
    }),
    say('previewRanges', { ranges: ranges.join(', ') }),
    say('previewReads', {
      model: preview.summaryModel,
      read: say.number(preview.summaryInputTokens),
      calls: say.counted(preview.summaryCalls, 'call'),
      written: say.number(preview.summaryOutputTokens),
    }),
    ...(preview.price ? [say('previewPrice', { price: priceWords(preview.price, say) })] : []),
  ];
  return lines.join('\n');
}
