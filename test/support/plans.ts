/** Compaction plans with valid defaults. */
import type {
  CompactionFigures,
  CompactionPlan,
  CompactionStore,
  NewRow,
  NoPlan,
  RowPlace,
} from '@palimpsest/core';

export const someFigures: CompactionFigures = {
  tokensBefore: 9_000,
  tokensBeforeSource: 'api',
  tokensAfter: 3_000,
  rowsBefore: 8,
  rowsAfter: 4,
  rowsArchived: 5,
  rowsProtected: 3,
  rowsDroppedWithoutSummary: 0,
  toolResultsPruned: 0,
  summaryTokens: 200,
  summaryCalls: 1,
  summaryInputTokens: 5_000,
  summaryOutputTokens: 200,
  escalation: 'normal',
};

export function makePlan(wish: Partial<CompactionPlan>): CompactionPlan {
  return {
    kind: 'plan',
    outcome: 'success',
    reason: 'none',
    archive: [],
    write: [],
    summaryModel: 'small-model',
    figures: someFigures,
    ...wish,
  };
}

/** The everyday plan: rows away, one summary in their place. */
export function summaryPlan(
  archive: readonly number[],
  text: string,
  wish: Partial<CompactionPlan> = {},
): CompactionPlan {
  const lastRowId = archive.at(-1) ?? 0;
  return makePlan({
    archive,
    write: [{ ...summaryRow(text), place: { kind: 'range', lastRowId } }],
    ...wish,
  });
}

export function summaryRow(text: string): NewRow {
  return { role: 'user', kind: 'summary', parts: [{ type: 'text', text }], tokens: 30 };
}

export function planRow(row: NewRow, place: RowPlace): NewRow & { place: RowPlace } {
  return { ...row, place };
}

export function noPlan(wish: Partial<NoPlan>): NoPlan {
  return {
    kind: 'none',
    outcome: 'noop',
    reason: 'too_few_messages',
    summaryModel: null,
    summaryCalls: 0,
    message: 'nothing to do',
    ...wish,
  };
}

/** Open a ledger row as the agent's layer does at its threshold. */
export function openCompaction(
  compactions: CompactionStore,
  sessionId: string,
  engine = 'compressor',
): Promise<number> {
  return compactions.open({
    sessionId,
    epoch: 1,
    engine,
    layer: 'agent',
    trigger: 'threshold',
    windowTokens: 16_000,
    windowSource: 'table',
    thresholdRaw: 0.5,
    triggerTokens: 8_000,
    mainModel: 'main-model',
  });
}

/** What the next model call says, a tenth of it from the cache. */
export function usageOf(promptTokens: number): { promptTokens: number; cacheReadTokens: number } {
  return { promptTokens, cacheReadTokens: promptTokens / 10 };
}
