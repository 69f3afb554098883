import type { ProtectedParts, TranscriptView } from '@palimpsest/core';
import { protectedUnits } from './emergency/kept-units.ts';
import type { DcpUnit } from './refs/group-units.ts';
import type { DcpDesk } from './state/desk.ts';

/** What `compress` refuses to take, as the prompt shows it. There is no head: the oldest may be condensed too. */
export function protectedParts(desk: DcpDesk, view: TranscriptView, windowTokens: number): ProtectedParts {
  const { state } = desk.withRefs(view);
  const kept = protectedUnits({ state, config: desk.config, view, windowTokens });
  const { layout, sizes } = desk.look(view);
  let tailTokens = 0;
  let resultTokens = 0;
  for (const [index, item] of layout.items.entries()) {
    if (item.kind !== 'unit') continue;
    const tokens = sizes.items[index]!;
    if (kept.has(item.unit.id)) tailTokens += tokens;
    else resultTokens += Math.min(tokens, resultsOf(item.unit));
  }
  return { headTokens: 0, tailTokens, resultTokens };
}

function resultsOf({ rows }: DcpUnit): number {
  return rows.reduce((sum, row) => (row.role === 'tool' ? sum + row.tokens : sum), 0);
}
