import {
  type CompactionFigures,
  type CompactionPlan,
  type CompressRequest,
  type DcpChange,
  type NoPlan,
} from '@palimpsest/core';
import type { SummaryCost } from '../../compressor/write-summary.ts';
import { shownRows, type DcpLayout } from '../transform/lay-out.ts';

export const noCost: SummaryCost = { calls: 0, inputTokens: 0, outputTokens: 0 };

/** What a plan of this engine says beside its change. */
export interface RoomMade {
  change: DcpChange;
  /** Real tokens of the prompt afterwards. */
  tokensAfter: number;
  before: DcpLayout;
  after: DcpLayout;
  outcome: CompactionPlan['outcome'];
  reason: CompactionPlan['reason'];
  summaryModel: string | null;
  summaryTokens: number;
  escalation: CompactionFigures['escalation'];
  rowsDroppedWithoutSummary: number;
  cost: SummaryCost;
  cooldownMs?: number;
}

/** A plan that changes state only: no row of the transcript is touched. */
export function roomPlan(
  request: Pick<CompressRequest, 'promptTokens' | 'promptTokensSource'>,
  made: RoomMade,
): CompactionPlan {
  const { change, outcome, reason, summaryModel, cost, cooldownMs } = made;
  const rowsBefore = shownRows(made.before);
  const rowsAfter = shownRows(made.after);
  return {
    kind: 'plan',
    outcome,
    reason,
    archive: [],
    write: [],
    state: { engine: 'dcp', json: change },
    summaryModel,
    figures: {
      tokensBefore: request.promptTokens,
      tokensBeforeSource: request.promptTokensSource,
      tokensAfter: made.tokensAfter,
      rowsBefore,
      rowsAfter,
      rowsArchived: 0,
      rowsProtected: rowsBefore,
      rowsDroppedWithoutSummary: made.rowsDroppedWithoutSummary,
      toolResultsPruned: change.marks?.length ?? 0,
      summaryTokens: made.summaryTokens,
      summaryCalls: cost.calls,
      summaryInputTokens: cost.inputTokens,
      summaryOutputTokens: cost.outputTokens,
      escalation: made.escalation,
    },
    cooldownMs,
  };
}

export function noRoom(outcome: NoPlan['outcome'], reason: NoPlan['reason'], message: string): NoPlan {
  return { kind: 'none', outcome, reason, summaryModel: null, summaryCalls: 0, message };
}
