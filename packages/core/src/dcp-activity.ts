import type { DcpBlock, DcpState } from './dcp.ts';
import type { RowHeader } from './message.ts';

export type BlockActivity = 'active' | 'consumed' | 'orphaned' | 'user_off' | 'tainted' | 'reset';

/** The live rows a state is looked at with. */
export interface ActivityGround {
  rows: readonly RowHeader[];
  /** False when `rows` are only a part of the live ones: what is not among them may still be there. */
  isWhole: boolean;
  /** A turn whose round is not stored yet: the calls of it count as there. */
  runningTurnId?: string;
}

/**
 * Which blocks are shown, by number; told anew each time from the stored statuses and the live rows, in order of
 * creation: off when a person turned it off, when its origin is gone or a unit it stands for is, else on, and then what
 * it took in is off. So an undone compress call gives back what it covered, and the blocks it had taken in. Of two
 * blocks that would hide the same unit (one was turned on again after the other was made) the younger one stays.
 */
export function blockActivity(
  state: Pick<DcpState, 'blocks'>,
  ground: ActivityGround,
): ReadonlyMap<number, BlockActivity> {
  const standing = standingBlocks(state.blocks, ground);
  const displaced = new Set<number>();
  for (;;) {
    const walk = walkBlocks(state.blocks, { standing, displaced });
    if (walk.conflict === null) return walk.activity;
    displaced.add(walk.conflict);
  }
}

/** The blocks that are shown, ascending by number. */
export function activeBlocks(
  state: Pick<DcpState, 'blocks'>,
  activity: ReadonlyMap<number, BlockActivity>,
): readonly DcpBlock[] {
  return state.blocks.filter((block) => activity.get(block.number) === 'active');
}

/** Numbers of blocks whose origin and units are all there; what a block took in must stand too. */
function standingBlocks(blocks: readonly DcpBlock[], ground: ActivityGround): ReadonlySet<number> {
  if (!ground.isWhole) return new Set(blocks.map((block) => block.number));
  const ids = new Set(ground.rows.map((row) => row.id));
  const calls = new Set(
    ground.rows.flatMap((row) => row.toolCallIds.map((callId) => `${row.turnId} ${callId}`)),
  );
  const whole = new Set<number>();
  const standing = new Set<number>();
  for (const { number, unitIds, consumed, origin } of blocks) {
    if (!unitIds.every((id) => ids.has(id)) || !consumed.every((inner) => whole.has(inner))) continue;
    whole.add(number);
    const isThere =
      origin === null ||
      origin.turnId === ground.runningTurnId ||
      calls.has(`${origin.turnId} ${origin.callId}`);
    if (isThere) standing.add(number);
  }
  return standing;
}

interface Walk {
  activity: ReadonlyMap<number, BlockActivity>;
  /** An active block that hides a unit which a younger one hides too. */
  conflict: number | null;
}

function walkBlocks(
  blocks: readonly DcpBlock[],
  { standing, displaced }: { standing: ReadonlySet<number>; displaced: ReadonlySet<number> },
): Walk {
  const activity = new Map<number, BlockActivity>();
  /** What took a block in. */
  const holders = new Map<number, number>();
  const coveredBy = new Map<number, number>();
  const rootOf = (number: number): number => {
    const holder = holders.get(number);
    return holder === undefined ? number : rootOf(holder);
  };
  for (const block of blocks) {
    const { number, status } = block;
    if (status !== 'on') activity.set(number, status);
    else if (!standing.has(number)) activity.set(number, 'orphaned');
    else if (displaced.has(number)) activity.set(number, 'consumed');
    else {
      const held = block.consumed.find((inner) => holders.has(inner));
      const taken = block.unitIds.find((id) => coveredBy.has(id));
      if (held !== undefined) return { activity, conflict: rootOf(held) };
      if (taken !== undefined) return { activity, conflict: rootOf(coveredBy.get(taken)!) };
      for (const inner of block.consumed) {
        if (activity.get(inner) !== 'active') continue;
        activity.set(inner, 'consumed');
        holders.set(inner, number);
      }
      for (const id of block.unitIds) coveredBy.set(id, number);
      activity.set(number, 'active');
    }
  }
  return { activity, conflict: null };
}
