import type {
  CompressionConfig,
  CompressRequest,
  MessageRow,
  RowHeader,
  TranscriptView,
} from '@palimpsest/core';
import { ResultDemotions, type Demotion } from './demote-results.ts';
import { leanCaps, type LeanCaps } from './lean-summary.ts';
import type { Sizes } from './measure.ts';
import { leanCeilingTokens } from './tail-budget.ts';
import { originalBodies, type BodyOf } from './tool-rounds.ts';

/** Phase 1 of lean mode: what the live rows cost once old results gave way, and which do. */
export interface LeanPruned {
  /** Headers with the tokens they will have. */
  rows: readonly RowHeader[];
  demoted: ReadonlyMap<number, Demotion>;
  /** The newest result with the same text, for each older one. */
  newestCopy: ReadonlyMap<number, number>;
  bodies: ReadonlyMap<number, MessageRow>;
  bodyOf: BodyOf;
  caps: LeanCaps;
  /** Sizes over `rows`. */
  sizes: Sizes;
}

/** A prune without a model brings the prompt this far below the trigger, or is not worth the changed prefix. */
const pruneGoal = 0.8;
/** The tail of a plan made ahead is never shorter than this share of the usual one. */
const leastPreparedShare = 0.25;

/** Every live text is read: results are compared, counted and quoted. */
export async function pruneForLean(
  view: TranscriptView,
  request: CompressRequest,
  { sizes, config }: { sizes: Sizes; config: CompressionConfig },
): Promise<LeanPruned> {
  const { rows } = view;
  const replaced = rows.flatMap((row) =>
    row.role === 'tool' && row.replaces !== undefined ? [row.replaces] : [],
  );
  const bodies = await view.bodies([...rows.map((row) => row.id), ...replaced]);
  const demotions = new ResultDemotions(rows, (row) => bodies.get(row.id)?.parts ?? []);
  demotions.demoteOld();
  if (request.mode === 'prune') demotions.demoteUntil(0, pruneGoalTokens(sizes));
  else demotions.demoteUntil(tailStart(demotions, rows, { sizes, config }), ceilingOf(sizes));
  const pruned = rows.map((row, index) => {
    const tokens = demotions.tokensOf(index);
    return tokens === row.tokens ? row : { ...row, tokens };
  });
  const liveEstimate = pruned.reduce((sum, row) => sum + row.tokens, 0);
  return {
    rows: pruned,
    demoted: demotions.byIndex,
    newestCopy: demotions.newestCopy,
    bodies,
    bodyOf: originalBodies(bodies),
    caps: leanCaps(sizes.windowTokens, sizes.scale),
    sizes: { ...sizes, liveEstimate, tailTokens: lessToCome(sizes.tailTokens, sizes) },
  };
}

/** What comes before a plan made ahead is applied stands behind its tail: the tail may be as much shorter. */
function lessToCome(tokens: number, { toComeTokens }: Sizes): number {
  return Math.max(Math.floor(tokens * leastPreparedShare), tokens - toComeTokens);
}

/** Where the tail would begin by rows and by budget, whichever keeps more. */
function tailStart(
  demotions: ResultDemotions,
  rows: readonly RowHeader[],
  { sizes, config }: { sizes: Sizes; config: CompressionConfig },
): number {
  let start = rows.length;
  let tokens = 0;
  while (start > 0) {
    tokens += demotions.tokensOf(start - 1);
    if (rows.length - start >= config.protect_last_n && tokens > sizes.tailTokens / sizes.scale) break;
    start--;
  }
  return start;
}

function ceilingOf(sizes: Sizes): number {
  return lessToCome(leanCeilingTokens(sizes.windowTokens), sizes) / sizes.scale;
}

function pruneGoalTokens({ triggerTokens, overheadTokens, scale }: Sizes): number {
  return Math.max(0, pruneGoal * triggerTokens - overheadTokens) / scale;
}
