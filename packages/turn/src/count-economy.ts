import type { CompactionFigures, Layer, SinceFormer } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { previewPrice } from './preview-price.ts';

/**
 * Measure what an applied compaction cost, and what the one before it has saved by now. Two counters, since a counter
 * cannot fall; a saving is known only when the next compaction starts. What cannot be asked is not worth a failure.
 */
export async function countEconomy(
  { deps, session }: ClaimedSession,
  { layer, compactionId, figures }: { layer: Layer; compactionId: number; figures: CompactionFigures },
): Promise<void> {
  const { meter, model, summariser, store, logger } = deps;
  const price = previewPrice(
    { ...figures, rereadTokens: figures.tokensAfter },
    { summary: summariser.pricePerMillion, main: model.info },
  );
  const spent = (price.summaryDollars ?? 0) + (price.rereadDollars ?? 0);
  meter.count('gateway_compaction_spent_usd_total', { layer }, spent);
  try {
    const former = await store.compactions.sinceFormer(session.id, compactionId);
    if (former) countFormer(deps, layer, former);
  } catch (thrown) {
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    logger.warn({ compactionId, problem }, 'the time since the former compaction could not be asked for');
  }
}

function countFormer(
  { meter, model }: ClaimedSession['deps'],
  layer: Layer,
  { seconds, turns, calls, promptTokens, savedTokens }: SinceFormer,
): void {
  meter.observe('gateway_compaction_reentry_seconds', seconds, { layer });
  meter.observe('gateway_compaction_turns_between', turns, { layer });
  meter.observe('gateway_llm_prompt_tokens_since_compaction', promptTokens);
  // Mostly what left the prompt would have been read from the cache.
  const dollars = ((model.info.pricePerMillion?.cacheRead ?? 0) * savedTokens * calls) / 1_000_000;
  meter.count('gateway_compaction_saved_usd_total', { layer }, dollars);
}
