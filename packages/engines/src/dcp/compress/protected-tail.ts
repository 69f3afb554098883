import type { DcpUnit } from '../refs/group-units.ts';
import type { CompressGround } from './ground.ts';

/** Sizes meant for large windows take at most this share of a small one. */
const mostShare = 0.05;

/**
 * Positions that no compression may take: the newest N messages, the newest ones up to a number of tokens, and the
 * newest message of a person. What a block hides already does not count.
 */
export function protectedTail(ground: CompressGround): ReadonlySet<number> {
  const { config, units, windowTokens } = ground;
  const visible = visibleUnits(ground);
  const kept = new Set<number>();
  const mostTokens = Math.min(config.preserveRecentTokens, Math.floor(windowTokens * mostShare));
  let tokens = 0;
  for (const [age, position] of visible.toReversed().entries()) {
    tokens += ground.tokensOf(units[position]!);
    if (age >= config.preserveRecentMessages && tokens > mostTokens) break;
    kept.add(position);
  }
  const newest = visible.findLast((position) => isPerson(units[position]!));
  if (newest !== undefined) kept.add(newest);
  return kept;
}

/** Positions of numbered units that no block hides, oldest first. */
function visibleUnits({ units, cover, state }: CompressGround): readonly number[] {
  return units.flatMap((unit, position) =>
    state.refs.has(unit.id) && !cover.has(unit.id) ? [position] : [],
  );
}

function isPerson(unit: DcpUnit): boolean {
  return unit.rows[0]?.kind === 'person';
}
