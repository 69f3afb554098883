import type { CompactionPlan, DcpChange, TranscriptView } from '@palimpsest/core';
import type { DcpConfig } from './ground.ts';
import { noticeText } from './notice-text.ts';
import type { WrittenBlocks } from './write-blocks.ts';

/**
 * The plan of a compress call, for the ledger and for operators: no row is archived and none is written, all that changes
 * is the engine's state. Sizes are of the prompt before and after; estimated blocks are scaled as the session's are.
 * measured   tokens and rows that the prompt would have before it
 */
export function compressPlan(
  view: Pick<TranscriptView, 'session'>,
  done: { change: DcpChange; written: WrittenBlocks; config: DcpConfig },
  measured: { tokens: number; rows: number; rowsAfter: number },
): CompactionPlan {
  const { change, written, config } = done;
  const notice = noticeText(written, config);
  const { lastPromptTokens, lastOutputTokens, estimateRatio } = view.session;
  const isKnown = lastPromptTokens > 0;
  const tokensBefore = isKnown
    ? lastPromptTokens + lastOutputTokens
    : Math.round(measured.tokens * estimateRatio);
  const marked = (change.marks ?? []).reduce((sum, mark) => sum + mark.tokens, 0);
  const net = (written.removedTokens - written.summaryTokens + marked) * estimateRatio;
  return {
    kind: 'plan',
    outcome: 'success',
    reason: 'none',
    archive: [],
    write: [],
    state: { engine: 'dcp', json: change },
    summaryModel: null,
    ...(notice === null ? {} : { notice }),
    figures: {
      tokensBefore,
      tokensBeforeSource: isKnown ? 'api' : 'estimate',
      tokensAfter: Math.max(0, Math.round(tokensBefore - net)),
      rowsBefore: measured.rows,
      rowsAfter: measured.rowsAfter,
      rowsArchived: 0,
      rowsProtected: measured.rows,
      rowsDroppedWithoutSummary: 0,
      toolResultsPruned: change.marks?.length ?? 0,
      summaryTokens: written.summaryTokens,
      summaryCalls: 0,
      summaryInputTokens: 0,
      summaryOutputTokens: 0,
      escalation: 'normal',
    },
  };
}
