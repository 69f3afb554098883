import type { DcpBlock } from '@palimpsest/core';
import { formatBlockRef, formatUnitRef } from '../refs/format-ref.ts';
import type { DcpUnit } from '../refs/group-units.ts';
import { refAt, type CompressGround, type Span } from './ground.ts';
import { problem, type Checked, type CompressProblem } from './problem.ts';
import { protectedTail } from './protected-tail.ts';
import type { CompressEntry } from './read-arguments.ts';
import { formatProblem, listed, resolveRef, type ResolvedRef } from './resolve-ref.ts';

/** What one entry replaces, widened to whole units and whole blocks. */
export interface Selection {
  entry: CompressEntry;
  span: Span;
  /** Newly covered, seq order. */
  units: readonly DcpUnit[];
  /** Active blocks taken in, in the order of their places. */
  consumed: readonly DcpBlock[];
  /** Both ends were given as blocks and nothing new is covered: the summary takes the place of their texts. */
  isRewrite: boolean;
  /** Blocks that stand at the ends as they were given. */
  startBlock: number | null;
  endBlock: number | null;
  /** The span is wider than what was asked for. */
  isWidened: boolean;
}

/**
 * Resolve, widen and compare all entries of a call; every bad one is told. Nothing is decided about sizes yet.
 * protectsTail   false when a call is done again that had been accepted
 */
export function selectEntries(
  ground: CompressGround,
  entries: readonly CompressEntry[],
  protectsTail: boolean,
): Checked<readonly Selection[]> {
  const select = ground.config.compress.mode === 'range' ? selectRange : selectMessage;
  const tail = protectsTail ? protectedTail(ground) : new Set<number>();
  const problems: CompressProblem[] = [];
  const selections: Selection[] = [];
  for (const entry of entries) {
    const selected = select(ground, entry);
    if (!selected.ok) problems.push(...selected.problems);
    else {
      const held = tailProblem(ground, selected.value, tail);
      if (held) problems.push(held);
      selections.push(selected.value);
    }
  }
  problems.push(...overlaps(ground, selections));
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: selections };
}

function selectRange(ground: CompressGround, entry: CompressEntry): Checked<Selection> {
  const start = resolveRef(ground, entry.startId, `${entry.path}.startId`);
  const end = resolveRef(ground, entry.endId, `${entry.path}.endId`);
  if (!start.ok || !end.ok)
    return { ok: false, problems: [...(start.ok ? [] : start.problems), ...(end.ok ? [] : end.problems)] };
  const asked = { first: start.value.span.first, last: end.value.span.last };
  if (asked.first > asked.last) {
    const text = `${entry.startId} comes after ${entry.endId}; give the older one first`;
    return { ok: false, problems: [problem('E_ORDER', entry.path, text)] };
  }
  return selectSpan(ground, { entry, asked, start: start.value, end: end.value });
}

function selectMessage(ground: CompressGround, entry: CompressEntry): Checked<Selection> {
  const path = `${entry.path}.messageId`;
  const found = resolveRef(ground, entry.startId, path);
  if (!found.ok) return found;
  const { ref, span } = found.value;
  if (ref.kind === 'block') return { ok: false, problems: [formatProblem(ground, entry.startId, path)] };
  const unit = ground.units[span.first]!;
  const name = formatUnitRef(ref.number);
  const block = ground.cover.get(unit.id);
  if (block) {
    const text = `${name} is already inside ${formatBlockRef(block.number)}; valid now: ${listed(ground)}`;
    return { ok: false, problems: [problem('E_REF_UNKNOWN', path, text)] };
  }
  if (ground.config.compress.protectUserMessages && unit.kind === 'person') {
    const text = `${name} is BLOCKED: messages of the person stay as they are; leave it out`;
    return { ok: false, problems: [problem('E_REF_FORMAT', path, text)] };
  }
  return selectSpan(ground, { entry, asked: span, start: found.value, end: found.value });
}

function selectSpan(
  ground: CompressGround,
  named: { entry: CompressEntry; asked: Span; start: ResolvedRef; end: ResolvedRef },
): Checked<Selection> {
  const { entry, asked, start, end } = named;
  const span = widen(ground, asked);
  const inside = ground.units.slice(span.first, span.last + 1);
  const consumed = new Set<DcpBlock>();
  for (const unit of inside) {
    const block = ground.cover.get(unit.id);
    if (block) consumed.add(block);
  }
  const units = inside.filter(
    (unit) => ground.state.refs.has(unit.id) && !unit.isOpen && !ground.cover.has(unit.id),
  );
  const isRewrite = units.length === 0 && start.ref.kind === 'block' && end.ref.kind === 'block';
  if (units.length === 0 && !isRewrite)
    return { ok: false, problems: [nothingNew(ground, entry, [...consumed])] };
  const isWidened = span.first !== asked.first || span.last !== asked.last;
  const blockOf = ({ ref }: ResolvedRef): number | null => (ref.kind === 'block' ? ref.number : null);
  return {
    ok: true,
    value: {
      entry,
      span,
      units,
      consumed: [...consumed],
      isRewrite,
      startBlock: blockOf(start),
      endBlock: blockOf(end),
      isWidened,
    },
  };
}

/** A block of which one message lies in the span is taken in whole, and so on until nothing is cut. */
function widen({ units, cover, spans }: CompressGround, asked: Span): Span {
  let { first, last } = asked;
  for (let position = first; position <= last; position++) {
    const block = cover.get(units[position]!.id);
    const whole = block && spans.get(block.number);
    if (!whole) continue;
    last = Math.max(last, whole.last);
    if (whole.first < first) {
      first = whole.first;
      position = first - 1;
    }
  }
  return { first, last };
}

function nothingNew(
  ground: CompressGround,
  entry: CompressEntry,
  blocks: readonly DcpBlock[],
): CompressProblem {
  const names = blocks.map((block) => formatBlockRef(block.number)).join(', ');
  if (names === '') {
    const text = `there is no message between ${entry.startId} and ${entry.endId} that can be compressed; valid now: ${listed(ground)}`;
    return problem('E_EMPTY_RANGE', entry.path, text);
  }
  return problem(
    'E_NO_GAIN',
    entry.path,
    `everything from ${entry.startId} to ${entry.endId} is already in ${names}; to shorten a block give it as both startId and endId, else choose among ${listed(ground)}`,
  );
}

function tailProblem(
  ground: CompressGround,
  { entry, span, units }: Selection,
  tail: ReadonlySet<number>,
): CompressProblem | null {
  const chosen = new Set(units);
  const held: string[] = [];
  for (let position = span.first; position <= span.last; position++)
    if (tail.has(position) && chosen.has(ground.units[position]!)) held.push(refAt(ground, position));
  if (held.length === 0) return null;
  const text = `${held.join(', ')} cannot be compressed: the newest messages and the person's newest one stay; valid now: ${listed(ground)}`;
  return problem('E_PROTECTED_TAIL', entry.path, text);
}

/** Every pair that shares a message or a block; told at the later entry. */
function overlaps(ground: CompressGround, selections: readonly Selection[]): readonly CompressProblem[] {
  return selections.flatMap((later, index) =>
    selections.slice(0, index).flatMap((earlier) => {
      const first = Math.max(earlier.span.first, later.span.first);
      if (first > Math.min(earlier.span.last, later.span.last)) return [];
      const text = `${earlier.entry.path} and ${later.entry.path} share ${refAt(ground, first)}; make them one entry or part them`;
      return [problem('E_OVERLAP_BATCH', later.entry.path, text)];
    }),
  );
}
