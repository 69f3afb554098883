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

/** Names a call of a turn; rows that were written in place of others have no turn. */
export function originKey(turnId: string | undefined, callId: string): string {
  return `${turnId ?? ''} ${callId}`;
}

/** Numbers of blocks whose origin and units are all there; what a block took in must stand too. */
function standingBlocks(blocks: readonly DcpBlock[], ground: ActivityGround): ReadonlySet<number> {
  if (!ground.isWhole) return new Set(blocks.map((block) => block.number));
  const ids = new Set(ground.rows.map((row) => row.id));
  const calls = new Set(
    ground.rows.flatMap((row) => row.toolCallIds.map((callId) => originKey(row.turnId, callId))),
  );
  const whole = new Set<number>();
  const standing = new Set<number>();
  for (const { number, unitIds, consumed, origin } of blocks) {
    if (!unitIds.every((id) => ids.has(id)) || !consumed.every((inner) => whole.has(inner))) continue;
    whole.add(number);
    const isThere =
      origin === null ||
      origin.turnId === ground.runningTurnId ||
      calls.has(originKey(origin.turnId, origin.callId));
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
  const claims = new Claims(blocks);
  for (const { number, status } of blocks) {
    if (status !== 'on') claims.activity.set(number, status);
    else if (!standing.has(number)) claims.activity.set(number, 'orphaned');
    else if (displaced.has(number)) claims.activity.set(number, 'consumed');
    else {
      claims.activity.set(number, 'active');
      const conflict = claims.takeOver(number, number);
      if (conflict !== null) return { activity: claims.activity, conflict };
    }
  }
  return { activity: claims.activity, conflict: null };
}

/** Which shown block hides what, while blocks are gone through from the oldest. */
class Claims {
  readonly activity = new Map<number, BlockActivity>();
  readonly #blocks: ReadonlyMap<number, DcpBlock>;
  /** Block → what took it in. */
  readonly #holders = new Map<number, number>();
  /** Unit → the block that covers it itself. */
  readonly #coveredBy = new Map<number, number>();

  constructor(blocks: readonly DcpBlock[]) {
    this.#blocks = new Map(blocks.map((block) => [block.number, block]));
  }

  /**
   * All that `number` stands for is hidden by `root` from now on. What it took in and is shown goes with all it stands
   * for; what is off is gone through piece by piece.
   * returns  a shown block outside `root` that hides a part of it already
   */
  takeOver(number: number, root: number): number | null {
    const { unitIds, consumed } = this.#blocks.get(number)!;
    for (const id of unitIds) {
      const holder = this.#coveredBy.get(id);
      if (holder !== undefined && this.#rootOf(holder) !== root) return this.#rootOf(holder);
      this.#coveredBy.set(id, number);
    }
    for (const inner of consumed) {
      const conflict = this.#takeIn(inner, { holder: number, root });
      if (conflict !== null) return conflict;
    }
    return null;
  }

  #takeIn(inner: number, { holder, root }: { holder: number; root: number }): number | null {
    if (this.#holders.has(inner)) {
      const other = this.#rootOf(inner);
      return other === root ? null : other;
    }
    this.#holders.set(inner, holder);
    const wasShown = this.activity.get(inner) === 'active';
    if (wasShown) this.activity.set(inner, 'consumed');
    return wasShown || !this.#blocks.has(inner) ? null : this.takeOver(inner, root);
  }

  #rootOf(number: number): number {
    let root = number;
    for (let holder = this.#holders.get(root); holder !== undefined; holder = this.#holders.get(root))
      root = holder;
    return root;
  }
}
