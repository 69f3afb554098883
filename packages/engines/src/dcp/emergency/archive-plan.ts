import {
  estimateParts,
  messageFramingTokens,
  estimateTokens,
  type CompactionPlan,
  type DcpState,
  type Part,
  type PlannedRow,
  type TranscriptView,
} from '@palimpsest/core';
import { wrapSummary } from '../../compressor/summary-text.ts';
import type { DcpConfig } from '../compress/ground.ts';
import type { DcpUnit } from '../refs/group-units.ts';
import { blockText } from '../transform/block-text.ts';
import { layOut, shownRows } from '../transform/lay-out.ts';
import { measureLayout } from '../transform/measure.ts';

/**
 * The plan with which a session leaves this engine: what each outermost block hides is archived, and its text becomes a
 * summary row in that place. The blocks themselves stay as they are: an undo of this brings them back.
 * returns   null where no block is shown
 */
export function leavePlan(view: TranscriptView, state: DcpState, config: DcpConfig): CompactionPlan | null {
  const layout = layOut(state, view.rows);
  const write: PlannedRow[] = [];
  const archive: number[] = [];
  let summaryTokens = 0;
  for (const item of layout.items) {
    if (item.kind === 'unit') continue;
    archive.push(...rowsOf(item.units));
    const body = blockText(item.block, layout.blocks, 'none');
    summaryTokens += estimateTokens(body) + messageFramingTokens;
    write.push(summaryRow(body, archive.at(-1)!));
  }
  if (write.length === 0) return null;
  const sizes = measureLayout(layout, state, config);
  const ratio = view.session.estimateRatio;
  const rows = shownRows(layout);
  return {
    kind: 'plan',
    outcome: 'success',
    reason: 'none',
    archive,
    write,
    summaryModel: null,
    figures: {
      tokensBefore: Math.round(sizes.tokens * ratio),
      tokensBeforeSource: 'estimate',
      tokensAfter: Math.round(
        (sizes.tokens - sizes.summaryTokens + write.reduce((sum, row) => sum + row.tokens, 0)) * ratio,
      ),
      rowsBefore: rows,
      rowsAfter: rows,
      rowsArchived: archive.length,
      rowsProtected: rows - write.length,
      rowsDroppedWithoutSummary: 0,
      toolResultsPruned: 0,
      summaryTokens,
      summaryCalls: 0,
      summaryInputTokens: 0,
      summaryOutputTokens: 0,
      escalation: 'normal',
    },
  };
}

/** A row that stands for archived ones, as every engine reads it. */
export function summaryRow(body: string, lastRowId: number): PlannedRow {
  const parts: Part[] = [{ type: 'text', text: wrapSummary(body) }];
  const place = { kind: 'range', lastRowId } as const;
  return { role: 'user', kind: 'summary', parts, tokens: estimateParts(parts), place };
}

function rowsOf(units: readonly DcpUnit[]): readonly number[] {
  return units.flatMap((unit) => unit.rows.map((row) => row.id));
}
