import {
  raisesDcpVersion,
  type DcpBlock,
  type DcpChange,
  type DcpCounter,
  type DcpCounters,
  type DcpMark,
  type DcpState,
} from '@palimpsest/core';

/**
 * The state after a change, by the rules by which the store writes it.
 * change   made on this very state: `baseVersion` is its version
 */
export function applyChange(state: DcpState, change: DcpChange): DcpState {
  const kept = change.reset ? resetState(state) : state;
  const blocks = change.blocks ?? [];
  const refs = change.refs ?? [];
  return {
    ...kept,
    version: state.version + (raisesDcpVersion(change) ? 1 : 0),
    nextRef: nextAfter(
      kept.nextRef,
      refs.map((ref) => ref.number),
    ),
    nextBlock: nextAfter(
      kept.nextBlock,
      blocks.map((block) => block.number),
    ),
    nextRun: nextAfter(
      kept.nextRun,
      [...blocks, ...(change.marks ?? [])].map((entry) => entry.run),
    ),
    refs:
      refs.length === 0
        ? kept.refs
        : new Map([...kept.refs, ...refs.map((ref) => [ref.unitId, ref.number] as const)]),
    blocks: withStatuses([...kept.blocks, ...blocks], change.statuses ?? []),
    marks: withMarks(kept.marks, change.marks ?? []),
    manualMode: change.manualMode ?? kept.manualMode,
    grant: change.grant === undefined ? kept.grant : change.grant,
    nudge: change.nudge ?? kept.nudge,
    hygiene: change.hygiene ?? kept.hygiene,
    counters: added(kept.counters, change.counts ?? {}),
  };
}

/** No spread: the first change of a long conversation names every unit of it. */
function nextAfter(next: number, given: readonly number[]): number {
  return given.reduce((most, number) => Math.max(most, number + 1), next);
}

function resetState(state: DcpState): DcpState {
  return {
    ...state,
    generation: state.generation + 1,
    refs: new Map(),
    marks: [],
    blocks: [],
  };
}

function withStatuses(
  blocks: readonly DcpBlock[],
  statuses: NonNullable<DcpChange['statuses']>,
): readonly DcpBlock[] {
  if (statuses.length === 0) return blocks;
  const byNumber = new Map(statuses.map(({ block, status }) => [block, status]));
  return blocks.map((block) => ({ ...block, status: byNumber.get(block.number) ?? block.status }));
}

/** One mark a call: the first one stays. */
function withMarks(marks: readonly DcpMark[], more: readonly DcpMark[]): readonly DcpMark[] {
  const seen = new Set(marks.map(keyOf));
  const fresh = more.filter((mark) => {
    const isNew = !seen.has(keyOf(mark));
    seen.add(keyOf(mark));
    return isNew;
  });
  return fresh.length === 0 ? marks : [...marks, ...fresh];
}

function keyOf(mark: DcpMark): string {
  return `${mark.unitId} ${mark.callId}`;
}

function added(counters: DcpCounters, counts: Partial<DcpCounters>): DcpCounters {
  const next: Record<DcpCounter, number> = { ...counters };
  for (const [name, count] of Object.entries(counts) as [DcpCounter, number][]) next[name] += count;
  return next;
}
