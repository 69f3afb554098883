import type { RowHeader } from '@palimpsest/core';
import { isPerson, isPlainAnswer } from './row-kinds.ts';

/** How the summary goes into the prompt. */
export type SummaryPlace =
  | { kind: 'row'; role: 'user' | 'assistant' }
  /** In front of the content of the first kept row after it. */
  | { kind: 'merge' };

export interface Neighbours {
  /** Rows that stay before the summary, in order. */
  before: readonly RowHeader[];
  /** Rows that stay behind it, in order. */
  after: readonly RowHeader[];
}

type Speaker = 'user' | 'assistant';

/**
 * Phase 4: the role of the summary row, so that no two rows of one role touch, neither on the wire nor in a template that
 * skips tool steps. The first row of a prompt is always a user row. Where neither role fits, the summary is merged into
 * the row behind it. A step with tool calls takes no summary (its signed reasoning must stay first), nor does a note of
 * ours: there two rows of one role may touch, and the provider layer joins them.
 */
export function chooseRole(neighbours: Neighbours): SummaryPlace {
  const { before, after } = neighbours;
  const isForced = !before.some((row) => row.role === 'user');
  const head = before.findLast(isVisible);
  const preferred: Speaker = isForced || head?.role !== 'user' ? 'user' : 'assistant';
  if (fits(preferred, neighbours)) return { kind: 'row', role: preferred };
  const flipped: Speaker = preferred === 'user' ? 'assistant' : 'user';
  if (!isForced && fits(flipped, neighbours)) return { kind: 'row', role: flipped };
  const target = after.find((row) => row.role !== 'tool');
  if (target && (isPerson(target) || isPlainAnswer(target))) return { kind: 'merge' };
  return { kind: 'row', role: target?.role === 'assistant' ? 'user' : preferred };
}

function fits(role: Speaker, { before, after }: Neighbours): boolean {
  const touching = [
    before.at(-1),
    after.find((row) => row.role !== 'tool'),
    before.findLast(isVisible),
    after.find(isVisible),
  ];
  return touching.every((row) => row?.role !== role);
}

/** Templates that check the order of roles skip tool rows and answers that only call tools. */
function isVisible(row: RowHeader): boolean {
  return row.role === 'user' || (row.role === 'assistant' && row.toolCallIds.length === 0);
}

/**
 * A row of the range that, kept as well, lets the summary stand as a row of its own and the newest message stay byte for
 * byte: the answer right before a person's message, or the message whose turn was cut in the middle.
 * range    rows right before `after`, in order, all about to be archived
 * returns  index in `range`, -1 when merging is the only way
 */
export function findBridge(range: readonly RowHeader[], neighbours: Neighbours, limitTokens: number): number {
  const last = range.length - 1;
  const question = range.findLastIndex((row) => row.role === 'user');
  for (const index of [last, question]) {
    const row = range[index];
    if (!row || row.kind === 'summary' || row.tokens > limitTokens) continue;
    if (!isPerson(row) && !isPlainAnswer(row)) continue;
    const after = [row, ...neighbours.after];
    if (chooseRole({ before: neighbours.before, after }).kind === 'row') return index;
  }
  return -1;
}
