import type { CompactionPlan, Layer, Meter } from '@palimpsest/core';

/** Measure what a compaction changed. */
export function countFigures(
  meter: Meter,
  layer: Layer,
  { figures, reason, summaryModel }: Pick<CompactionPlan, 'figures' | 'reason' | 'summaryModel'>,
): void {
  const { tokensBefore, tokensAfter, rowsAfter, rowsArchived, summaryTokens } = figures;
  meter.count('gateway_compaction_messages_archived_total', { layer }, rowsArchived);
  const dropped = figures.rowsDroppedWithoutSummary;
  meter.count('gateway_compaction_messages_dropped_without_summary_total', { reason }, dropped);
  if (summaryTokens > 0)
    meter.observe('gateway_compaction_summary_tokens', summaryTokens, { model: summaryModel ?? 'none' });
  // A new chapter keeps nothing, so it saves nothing either.
  if (rowsAfter === 0) return;
  meter.observe('gateway_compaction_tokens_before', tokensBefore, { layer });
  meter.observe('gateway_compaction_tokens_after', tokensAfter, { layer });
  meter.count(
    'gateway_compaction_tokens_reclaimed_total',
    { layer },
    Math.max(0, tokensBefore - tokensAfter),
  );
  meter.observe('gateway_compaction_ratio', tokensAfter / Math.max(1, tokensBefore), { layer });
}
