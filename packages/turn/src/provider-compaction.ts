import type { CompactionFigures, ProviderCompaction, ThreadCompaction } from '@palimpsest/core';
import type { ClaimedSession } from './claimed-session.ts';
import { countEnded } from './count-ended.ts';
import type { CompactionPlace } from './declined.ts';
import { ledgerHead } from './ledger-head.ts';

/** In the ledger: no engine of ours did it. */
const nativeEngine = 'native';

/** Does the provider hold the conversation? Then our rows are never rewritten: that would not shrink its prompt. */
export function isHeldByProvider({ deps }: Pick<ClaimedSession, 'deps'>): boolean {
  return deps.model.compactThread !== undefined;
}

/** Have the provider condense the conversation it holds, wait for the end and note it. */
export async function compactAtProvider(
  claimed: ClaimedSession,
  place: CompactionPlace,
  signal: AbortSignal,
): Promise<ThreadCompaction> {
  const { model, logger, clock } = claimed.deps;
  if (!model.compactThread) return { kind: 'nothing' };
  const { messages } = await claimed.engine.assemble(claimed.view, claimed.budget());
  const startedAt = clock.now().getTime();
  const done = await model.compactThread({ sessionId: claimed.session.id, messages }, signal);
  if (done.kind === 'compacted') {
    const { kind: _kind, ...compaction } = done;
    const seconds = (clock.now().getTime() - startedAt) / 1000;
    await noteProviderCompaction(claimed, compaction, { ...place, seconds });
  }
  if (done.kind === 'failed') {
    const { kind, message } = done.failure;
    logger.warn({ sessionId: claimed.session.id, kind, problem: message }, 'thread not condensed');
  }
  return done;
}

/**
 * A line in the ledger, an event and its figures; what the conversation takes now is known from then on.
 * `seconds` is left out where it was condensed within an answer: nobody saw it begin.
 */
export async function noteProviderCompaction(
  claimed: ClaimedSession,
  compaction: ProviderCompaction,
  { layer, trigger, seconds = null }: CompactionPlace & { seconds?: number | null },
): Promise<void> {
  const { deps, session } = claimed;
  const place = { layer, trigger };
  const figures = figuresOf(claimed, compaction);
  const opened = { ...ledgerHead(claimed, place), engine: nativeEngine };
  const compactionId = await deps.store.compactions.recordProvider(claimed.lease, opened, {
    compaction,
    figures,
  });
  claimed.view.session = { ...session, compactionCount: session.compactionCount + 1 };
  if (compaction.tokensAfter !== null) claimed.change({ lastPromptTokens: compaction.tokensAfter });
  const applied =
    compaction.tokensAfter === null ? null : ({ figures, reason: 'none', summaryModel: null } as const);
  const ended = { outcome: 'success', reason: 'none', compactionId, applied, seconds } as const;
  await countEnded(claimed, place, { ...ended, engine: nativeEngine });
}

/** No row changed; tokens are those of the prompt before and after. */
function figuresOf(claimed: ClaimedSession, { tokensAfter }: ProviderCompaction): CompactionFigures {
  const { promptTokens, source, liveRows } = claimed.state();
  return {
    tokensBefore: promptTokens,
    tokensBeforeSource: source,
    tokensAfter: tokensAfter ?? promptTokens,
    rowsBefore: liveRows,
    rowsAfter: liveRows,
    rowsArchived: 0,
    rowsProtected: liveRows,
    rowsDroppedWithoutSummary: 0,
    toolResultsPruned: 0,
    summaryTokens: 0,
    summaryCalls: 0,
    summaryInputTokens: 0,
    summaryOutputTokens: 0,
    escalation: 'normal',
  };
}
