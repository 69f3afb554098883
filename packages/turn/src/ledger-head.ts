import type { OpenedCompaction } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';

/** What the ledger notes of an attempt before its end: the session, its engine, the model and its thresholds. */
export function ledgerHead(
  claimed: ClaimedSession,
  { layer, trigger }: Pick<OpenedCompaction, 'layer' | 'trigger'>,
): OpenedCompaction {
  const { deps, session } = claimed;
  return {
    sessionId: session.id,
    // A reader holds nothing; the session's own epoch says when it looked.
    epoch: claimed.lease.epoch || session.epoch,
    engine: claimed.engine.name,
    layer,
    trigger,
    windowTokens: claimed.windowTokens,
    windowSource: deps.model.info.windowSource,
    thresholdRaw: deps.config.compression.threshold,
    triggerTokens: claimed.engine.getStatus(claimed.budget()).triggerTokens,
    mainModel: deps.model.info.label,
  };
}
