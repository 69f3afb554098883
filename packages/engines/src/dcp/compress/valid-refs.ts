import { formatBlockRef, formatUnitRef } from '../refs/format-ref.ts';
import type { CompressGround } from './ground.ts';
import { protectedTail } from './protected-tail.ts';

/** Longest list that is told; what is left out lies in the middle of a very patchy conversation. */
const mostSpans = 20;

/**
 * What may be named now, in the order of the conversation: spans of messages and, in range mode, blocks. Message mode
 * names no message of a person where those are copied word for word.
 */
export function validRefs(ground: CompressGround): readonly string[] {
  const isRange = ground.config.compress.mode === 'range';
  const kept = protectedTail(ground);
  const spans: string[] = [];
  let open: { first: number; last: number } | null = null;
  const close = (): void => {
    if (open)
      spans.push(
        open.first === open.last
          ? formatUnitRef(open.first)
          : `${formatUnitRef(open.first)}-${formatUnitRef(open.last)}`,
      );
    open = null;
  };
  const told = new Set<number>();
  for (const [position, unit] of ground.units.entries()) {
    const block = ground.cover.get(unit.id);
    if (block) {
      close();
      if (isRange && !told.has(block.number)) spans.push(formatBlockRef(block.number));
      told.add(block.number);
      continue;
    }
    const number = ground.state.refs.get(unit.id);
    if (number === undefined) continue;
    const isBlocked = !isRange && ground.config.compress.protectUserMessages && unit.kind === 'person';
    if (kept.has(position) || unit.isOpen || isBlocked) close();
    else open = { first: (open as { first: number } | null)?.first ?? number, last: number };
  }
  close();
  return shortened(spans);
}

function shortened(spans: readonly string[]): readonly string[] {
  if (spans.length <= mostSpans) return spans;
  return [...spans.slice(0, mostSpans / 2), '…', ...spans.slice(-mostSpans / 2)];
}
