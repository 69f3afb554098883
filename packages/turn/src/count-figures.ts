import type { CompactionFigures, Layer, Meter } from '@palimpsest/core';

/** Measure what a compaction changed. */
export function countFigures(meter: Meter, layer: Layer, figures: CompactionFigures): void {
  const { tokensBefore, tokensAfter, rowsAfter, rowsArchived } = figures;
  meter.count('gateway_compaction_messages_archived_total', { layer }, rowsArchived);
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
