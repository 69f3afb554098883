import { never, type DcpState, type DcpUnitId } from '@palimpsest/core';
import type { DcpConfig } from '../compress/ground.ts';
import { formatBlockRef, formatUnitRef } from '../refs/format-ref.ts';
import type { DcpUnit } from '../refs/group-units.ts';
import type { DcpLayout, ShownItem } from '../transform/lay-out.ts';
import { priorityOf } from '../transform/priority.ts';

export interface SpanGround {
  layout: DcpLayout;
  /** Tokens of each shown item. */
  itemTokens: readonly number[];
  state: DcpState;
  config: DcpConfig;
  /** Units that compress would refuse. */
  protectedUnits: ReadonlySet<DcpUnitId>;
  /** A compression must save at least this. */
  leastGainTokens: number;
}

interface Span {
  start: string;
  end: string;
  tokens: number;
  items: number;
}

const mostSpans = 3;
/** What a summary usually leaves of a span; of earlier summaries more is left. */
const summaryShare = 0.25;
const chainShare = 0.5;

/** Parts that a nudge names: one to three, the largest first, of equal ones the older. None where none would gain enough. */
export function eligibleSpans(ground: SpanGround): readonly string[] {
  const { mode } = ground.config.compress;
  switch (mode) {
    case 'range':
      return namesOf(rangeSpans(ground));
    case 'message':
      return heavyMessages(ground);
    default:
      return never(mode);
  }
}

/** Runs of units between blocks; where they gain too little, runs with the blocks in them, so that a chain is condensed anew. */
function rangeSpans(ground: SpanGround): readonly Span[] {
  const raw = runsOf(ground, (item) => item.kind === 'unit').filter((span) =>
    gains(span, ground, summaryShare),
  );
  if (raw.length > 0) return raw;
  return runsOf(ground, () => true).filter((span) => span.items > 1 && gains(span, ground, chainShare));
}

function gains({ tokens }: Span, { leastGainTokens }: SpanGround, share: number): boolean {
  return tokens * (1 - share) >= leastGainTokens;
}

function runsOf(ground: SpanGround, takes: (item: ShownItem) => boolean): readonly Span[] {
  const spans: Span[] = [];
  let open: Span | null = null;
  for (const [index, item] of ground.layout.items.entries()) {
    if (isBetween(item, ground.state)) continue;
    const name = nameOf(item, ground);
    if (name === null || !takes(item)) {
      open = null;
      continue;
    }
    if (!open) spans.push((open = { start: name, end: name, tokens: 0, items: 0 }));
    open.end = name;
    open.tokens += ground.itemTokens[index]!;
    open.items += 1;
  }
  return spans;
}

/** What has no ref by its nature neither belongs to a range nor ends one. */
function isBetween(item: ShownItem, state: DcpState): boolean {
  return item.kind === 'unit' && !item.unit.isOpen && !state.refs.has(item.unit.id);
}

/** null: cannot be compressed. */
function nameOf(item: ShownItem, { state, protectedUnits }: SpanGround): string | null {
  if (item.kind === 'block') return formatBlockRef(item.block.number);
  const number = state.refs.get(item.unit.id);
  if (number === undefined || item.unit.isOpen || protectedUnits.has(item.unit.id)) return null;
  return formatUnitRef(number);
}

function namesOf(spans: readonly Span[]): readonly string[] {
  return largest(spans).map(({ start, end }) => `${start} to ${end}`);
}

/** Message mode: messages of high priority before the newest one that may be compressed. */
function heavyMessages(ground: SpanGround): readonly string[] {
  const { layout, state, config } = ground;
  const found = layout.items.flatMap((item, index) => {
    const name = nameOf(item, ground);
    if (item.kind !== 'unit' || name === null) return [];
    if (config.compress.protectUserMessages && item.unit.kind === 'person') return [];
    if (priorityOf(item.unit, holdsCompress(item.unit, state)) !== 'high') return [];
    return [{ start: name, end: name, tokens: ground.itemTokens[index]!, items: 1 }];
  });
  return largest(found).map(({ start }) => start);
}

function holdsCompress({ rows }: DcpUnit, { blocks }: DcpState): boolean {
  const [first] = rows;
  return blocks.some(
    ({ origin }) =>
      origin !== null && origin.turnId === first?.turnId && first.toolCallIds.includes(origin.callId),
  );
}

function largest(spans: readonly Span[]): readonly Span[] {
  return spans.toSorted((one, other) => other.tokens - one.tokens).slice(0, mostSpans);
}
