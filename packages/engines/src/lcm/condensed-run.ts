import { tokensOf, type ContextItem, type SummaryItem, type SweptNode } from './items.ts';

export interface CondensedWish {
  /** Members a run needs, by the depth of its summaries. */
  minFanout(depth: number): number;
  leastTokens: number;
  /** A run is capped at this. */
  mostTokens: number;
  /** Deepest summary that may be made; -1 = any. */
  maxDepth: number;
  /** Summaries of it that say nothing do not count. */
  isEmpty?(item: SummaryItem): boolean;
}

export interface CondensedRun {
  /** Index of its first item. */
  start: number;
  members: readonly SummaryItem[];
  depth: number;
  /** Nodes that lifted members to this depth, lower ones first; stored with the run's own node. */
  lifts?: readonly SweptNode[];
}

/**
 * Summaries to be condensed into one: the oldest long enough run of neighbours of one depth, of the shallowest depth that
 * has one. Another depth or a message ends a run. Null when there is none.
 */
export function nextCondensedRun(items: readonly ContextItem[], wish: CondensedWish): CondensedRun | null {
  const fits = runsOf(items)
    .filter(({ depth }) => wish.maxDepth === -1 || depth + 1 <= wish.maxDepth)
    .flatMap((run) => cutRun(run, wish));
  return fits.reduce<CondensedRun | null>(
    (best, run) => (best === null || run.depth < best.depth ? run : best),
    null,
  );
}

function runsOf(items: readonly ContextItem[]): readonly CondensedRun[] {
  const runs: { start: number; members: SummaryItem[]; depth: number }[] = [];
  let open = -1;
  for (const [index, item] of items.entries()) {
    const depth = item.kind === 'summary' ? item.node.depth : -1;
    if (item.kind === 'summary' && depth !== open) runs.push({ start: index, members: [], depth });
    if (item.kind === 'summary') runs.at(-1)!.members.push(item);
    open = depth;
  }
  return runs;
}

/** The oldest part of a run that is within the cap, if it is large enough. */
function cutRun(run: CondensedRun, wish: CondensedWish): CondensedRun[] {
  const members: SummaryItem[] = [];
  let tokens = 0;
  for (const member of run.members) {
    if (members.length >= 2 && tokens + member.tokens > wish.mostTokens) break;
    members.push(member);
    tokens += member.tokens;
  }
  const telling = wish.isEmpty ? members.filter((member) => !wish.isEmpty!(member)) : members;
  const isEnough = telling.length >= wish.minFanout(run.depth) && tokensOf(telling) >= wish.leastTokens;
  return isEnough ? [{ ...run, members }] : [];
}
