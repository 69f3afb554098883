import type { RowHeader } from '@palimpsest/core';

/** Rows that are archived or kept together: one row, or a tool call with all its results. */
export interface Unit {
  /** Index of its first row. */
  start: number;
  /** Index behind its last row. */
  end: number;
  /** Sum of the rows' estimates. */
  tokens: number;
  /** True while a call of it has no result. */
  open: boolean;
}

/**
 * Divide a transcript into units, so that no cut parts a call from its results. Parallel calls are one unit; so is
 * what stands between a call and a late result. The same call id may come again later: a result belongs to the nearest
 * call before it. Linear.
 */
export function groupRows(rows: readonly RowHeader[]): readonly Unit[] {
  const { reach, unanswered } = reachOfCalls(rows);
  const units: Unit[] = [];
  for (let start = 0; start < rows.length;) {
    let end = start + 1;
    let tokens = 0;
    let open = false;
    for (let index = start; index < end; index++) {
      end = Math.max(end, (reach[index] ?? index) + 1);
      tokens += rows[index]!.tokens;
      open ||= (unanswered[index] ?? 0) > 0;
    }
    units.push({ start, end, tokens, open });
    start = end;
  }
  return units;
}

/** For each row the last row that answers a call of it, and how many of its calls have no result. */
function reachOfCalls(rows: readonly RowHeader[]): {
  reach: readonly number[];
  unanswered: readonly number[];
} {
  const reach = rows.map((_, index) => index);
  const unanswered = rows.map((row) => row.toolCallIds.length);
  const caller = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    for (const id of row.toolCallIds) caller.set(id, index);
    if (row.role !== 'tool' || row.toolCallId === undefined) continue;
    const from = caller.get(row.toolCallId);
    if (from === undefined) continue;
    caller.delete(row.toolCallId);
    reach[from] = index;
    unanswered[from]! -= 1;
  }
  return { reach, unanswered };
}
