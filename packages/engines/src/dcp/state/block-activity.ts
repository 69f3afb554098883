import type { DcpBlock, DcpState, RowHeader } from '@palimpsest/core';

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
 * creation: off when a person turned it off, when its origin is gone or a unit it covers is, else on, and then what
 * it took in is off. So an undone compress call gives back what it covered, and the blocks it had taken in.
 */
export function blockActivity(
  state: Pick<DcpState, 'blocks'>,
  ground: ActivityGround,
): ReadonlyMap<number, BlockActivity> {
  const activity = new Map<number, BlockActivity>();
  const live = liveOf(ground);
  for (const block of state.blocks) {
    if (block.status !== 'on') activity.set(block.number, block.status);
    else if (ground.isWhole && !isGrounded(block, live, ground)) activity.set(block.number, 'orphaned');
    else {
      activity.set(block.number, 'active');
      for (const inner of block.consumed)
        if (activity.get(inner) === 'active') activity.set(inner, 'consumed');
    }
  }
  return activity;
}

/** The blocks that are shown, ascending by number. */
export function activeBlocks(
  state: Pick<DcpState, 'blocks'>,
  activity: ReadonlyMap<number, BlockActivity>,
): readonly DcpBlock[] {
  return state.blocks.filter((block) => activity.get(block.number) === 'active');
}

interface LiveRows {
  ids: ReadonlySet<number>;
  /** `turn call` of every live call. */
  calls: ReadonlySet<string>;
}

function liveOf({ rows }: ActivityGround): LiveRows {
  const calls = rows.flatMap((row) => row.toolCallIds.map((callId) => `${row.turnId} ${callId}`));
  return { ids: new Set(rows.map((row) => row.id)), calls: new Set(calls) };
}

function isGrounded({ origin, unitIds }: DcpBlock, live: LiveRows, ground: ActivityGround): boolean {
  if (!unitIds.every((id) => live.ids.has(id))) return false;
  if (origin === null || origin.turnId === ground.runningTurnId) return true;
  return live.calls.has(`${origin.turnId} ${origin.callId}`);
}
