import type { CompressMode, OpenedCompaction } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';

/** What the ledger notes of an attempt before its end: the session, its engine, the model and its thresholds. */
export function ledgerHead(
  claimed: ClaimedSession,
  { layer, trigger, mode }: Pick<OpenedCompaction, 'layer' | 'trigger'> & { mode?: CompressMode },
): OpenedCompaction {
  const { deps, session } = claimed;
  const { thresholdRaw, triggerTokens } = claimed.engine.getStatus(claimed.budget());
  return {
    sessionId: session.id,
    // A reader holds nothing; the session's own epoch says when it looked.
    epoch: claimed.lease.epoch || session.epoch,
    engine: claimed.engine.name,
    layer,
    trigger,
    strategy: mode,
    // 0 and -1 say that nothing is known of the last prompt.
    cacheShareBefore:
      session.lastPromptTokens > 0 ? session.lastCacheReadTokens / session.lastPromptTokens : undefined,
    windowTokens: claimed.windowTokens,
    windowSource: deps.model.info.windowSource,
    thresholdRaw: thresholdRaw ?? deps.config.compression.threshold,
    triggerTokens,
    mainModel: deps.model.info.label,
  };
}
