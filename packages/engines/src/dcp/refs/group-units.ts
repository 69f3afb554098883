import { messageFramingTokens, type DcpUnitId, type RowHeader } from '@palimpsest/core';
import { groupRows } from '../../compressor/group-rows.ts';

/** Rows that are shown, hidden and named together. */
export interface DcpUnit {
  /** Id of its first row; stays the same for good. */
  id: DcpUnitId;
  rows: readonly RowHeader[];
  /** Sum of the rows' estimates. */
  tokens: number;
  /** person: something people said, an earlier summary included · steps: an assistant row with its results. */
  kind: 'person' | 'steps' | 'other';
  /** Gets a ref: what the service wrote itself, stray results and empty rows get none. */
  isNumbered: boolean;
  /** A call of it has no result yet: it cannot be compressed. */
  isOpen: boolean;
}

/** Divide live rows, in seq order, into units. Linear. */
export function groupUnits(rows: readonly RowHeader[]): readonly DcpUnit[] {
  return groupRows(rows).map(({ start, end, tokens, open }) => {
    const inside = rows.slice(start, end);
    const first = inside[0]!;
    const kind = kindOf(first);
    const isEmpty = inside.length === 1 && first.tokens <= messageFramingTokens;
    return {
      id: first.id,
      rows: inside,
      tokens,
      kind,
      isNumbered: kind !== 'other' && !isEmpty,
      isOpen: open,
    };
  });
}

function kindOf(first: RowHeader): DcpUnit['kind'] {
  if (first.kind === 'synthetic' || first.kind === 'notice' || first.role === 'tool') return 'other';
  return first.role === 'assistant' ? 'steps' : 'person';
}
