/** Plans as the lossless engine makes them, without a model. */
import { createHash } from 'node:crypto';
import type {
  CompactionFigures,
  CompactionPlan,
  LcmChange,
  LcmItem,
  LcmNewSummary,
  RowHeader,
} from '@palimpsest/core';

const noFigures: CompactionFigures = {
  tokensBefore: 1,
  tokensBeforeSource: 'estimate',
  tokensAfter: 1,
  rowsBefore: 1,
  rowsAfter: 1,
  rowsArchived: 1,
  rowsProtected: 0,
  rowsDroppedWithoutSummary: 0,
  toolResultsPruned: 0,
  summaryTokens: 0,
  summaryCalls: 0,
  summaryInputTokens: 0,
  summaryOutputTokens: 0,
  escalation: 'normal',
};

const said = 'What was decided and why, which files were touched, and what is still open after that. ';

function idOf(sessionId: string, under: readonly unknown[], content: string): string {
  return `sum_${createHash('sha256')
    .update(JSON.stringify([sessionId, under, content]))
    .digest('hex')}`;
}

/** A summary of about 1,000 tokens; `name` tells its text from that of others. */
export function leafOver(sessionId: string, rows: readonly RowHeader[], name: string): LcmNewSummary {
  const content = `${name}: ${said.repeat(45)}`;
  const messageIds = rows.map((row) => row.id);
  return {
    id: idOf(sessionId, messageIds, content),
    kind: 'leaf',
    depth: 0,
    content,
    tokens: Math.ceil(content.length / 4),
    earliestAt: rows[0]?.sentAt ?? new Date(0),
    latestAt: rows.at(-1)?.sentAt ?? new Date(0),
    descendantCount: 0,
    descendantTokens: 0,
    sourceMessageTokens: rows.reduce((sum, row) => sum + row.tokens, 0),
    fileIds: [],
    provider: 'bench',
    model: 'instant',
    escalation: 'normal',
    messageIds,
    sourceIds: [],
  };
}

export function nodeOver(sessionId: string, items: readonly LcmItem[], name: string): LcmNewSummary {
  const sourceIds = items.map((item) => item.id);
  return {
    ...leafOver(sessionId, [], name),
    id: idOf(sessionId, sourceIds, name),
    kind: 'condensed',
    depth: 1,
    earliestAt: items[0]?.earliestAt ?? new Date(0),
    latestAt: items.at(-1)?.latestAt ?? new Date(0),
    descendantCount: items.length,
    descendantTokens: items.reduce((sum, item) => sum + item.tokens, 0),
    sourceMessageTokens: items.reduce((sum, item) => sum + item.sourceMessageTokens, 0),
    sourceIds,
  };
}

export function planWith(change: LcmChange, archive: readonly number[]): CompactionPlan {
  return {
    kind: 'plan',
    outcome: 'success',
    reason: 'none',
    archive,
    write: [],
    state: { engine: 'lcm', json: change },
    summaryModel: 'bench/instant',
    figures: noFigures,
  };
}

/** Leaves over `rowsEach` rows each, in one plan. */
export function leavesPlan(
  sessionId: string,
  rows: readonly RowHeader[],
  wish: { rowsEach: number; name: string },
): CompactionPlan {
  const summaries: LcmNewSummary[] = [];
  const addItems: { summaryId: string; ordinal: number }[] = [];
  for (let start = 0; start < rows.length; start += wish.rowsEach) {
    const covered = rows.slice(start, start + wish.rowsEach);
    const leaf = leafOver(sessionId, covered, `${wish.name} ${start}`);
    summaries.push(leaf);
    addItems.push({ summaryId: leaf.id, ordinal: covered[0]?.seq ?? 0 });
  }
  return planWith(
    { summaries, addItems },
    rows.map((row) => row.id),
  );
}
