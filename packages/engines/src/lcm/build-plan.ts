import type {
  CompactionFigures,
  CompactionPlan,
  EngineStateChange,
  LcmChange,
  LcmTelemetry,
  NoPlan,
} from '@palimpsest/core';
import type { ContextItem } from './items.ts';
import { asNewSummary } from './make-node.ts';
import type { Workbench } from './workbench.ts';

/** The engine's part of what is stored. */
export function stateChange(json: LcmChange): EngineStateChange {
  return { engine: 'lcm', json };
}

/** Everything a sweep changed, to be stored in one transaction; null when it changed nothing. */
export function buildPlan(
  bench: Workbench,
  before: readonly ContextItem[],
  telemetry: LcmTelemetry | null,
): CompactionPlan | null {
  if (bench.made.length === 0 || bench.savedTokens <= 0) return null;
  const stayed = new Set(bench.items.flatMap((item) => (item.kind === 'summary' ? [item.node.id] : [])));
  const was = new Set(before.flatMap((item) => (item.kind === 'summary' ? [item.node.id] : [])));
  const added = bench.made.filter((node) => stayed.has(node.id) && !was.has(node.id));
  const change: LcmChange = {
    summaries: bench.made.map(asNewSummary),
    removeItems: [...was].filter((id) => !stayed.has(id)),
    addItems: added.map(({ id, ordinal }) => ({ summaryId: id, ordinal })),
    ...(telemetry ? { telemetry } : {}),
  };
  const isWritten = bench.made.some(({ escalation }) => escalation !== 'fallback');
  return {
    kind: 'plan',
    outcome: isWritten ? 'success' : 'deterministic',
    reason: 'none',
    archive: [...bench.covered].sort((a, b) => a - b),
    write: [],
    state: stateChange(change),
    summaryModel: bench.made.find(({ model }) => model !== null)?.model ?? null,
    figures: figuresOf(bench, before, added),
  };
}

function figuresOf(
  bench: Workbench,
  before: readonly ContextItem[],
  added: readonly { tokens: number }[],
): CompactionFigures {
  const { request } = bench.ground;
  const { calls, inputTokens, outputTokens } = bench.cost;
  return {
    tokensBefore: request.promptTokens,
    tokensBeforeSource: request.promptTokensSource,
    tokensAfter: bench.promptTokens,
    rowsBefore: before.length,
    rowsAfter: bench.items.length,
    rowsArchived: bench.covered.length,
    rowsProtected: bench.items.filter((item) => item.kind === 'row').length,
    rowsDroppedWithoutSummary: 0,
    toolResultsPruned: 0,
    summaryTokens: added.reduce((sum, { tokens }) => sum + tokens, 0),
    summaryCalls: calls,
    summaryInputTokens: inputTokens,
    summaryOutputTokens: outputTokens,
    escalation: worstOf(bench),
  };
}

const severity = ['normal', 'aggressive', 'capped', 'fallback'] as const;

/** The furthest level that any text of the sweep needed. */
function worstOf({ made }: Workbench): CompactionFigures['escalation'] {
  const worst = Math.max(...made.map(({ escalation }) => severity.indexOf(escalation)));
  const level = severity[worst] ?? 'normal';
  return level === 'fallback' ? 'deterministic' : level;
}

/** Nothing to store. */
export function noPlan(outcome: NoPlan['outcome'], reason: NoPlan['reason'], message: string): NoPlan {
  return { kind: 'none', outcome, reason, summaryModel: null, summaryCalls: 0, message };
}
