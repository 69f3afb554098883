import type { CondensedRun } from './condensed-run.ts';
import { summaryItem, tokensOf, type ContextItem, type SummaryItem, type SweptNode } from './items.ts';
import { condensedNode } from './make-node.ts';
import type { TimeWords } from './time-words.ts';

/*
 * A question that stayed word for word behind its long turn becomes a leaf of its own later, between deeper summaries: no
 * neighbour has its depth, so no run would ever hold it. Under pressure it is lifted to its neighbours' depth by nodes that
 * repeat it, and then condensed with them.
 */

/**
 * Two neighbouring summaries of different depth, lifted to one: those with the smallest greatest depth, the oldest
 * of equals. Null where no two summaries are neighbours.
 */
export function liftedRun(
  items: readonly ContextItem[],
  limits: { leastTokens: number },
  { sessionId, time, contentOf }: { sessionId: string; time: TimeWords; contentOf(id: string): string },
): CondensedRun | null {
  const pair = bestPair(items, limits.leastTokens);
  if (!pair) return null;
  const depth = Math.max(...pair.members.map(({ node }) => node.depth));
  const lifts: SweptNode[] = [];
  const members = pair.members.map((member) => {
    let lifted = member;
    while (lifted.node.depth < depth) {
      const content = contentOf(member.node.id);
      const written = { content, escalation: member.node.escalation, provider: null, model: null };
      const node = condensedNode([lifted], written, { sessionId, time, source: content });
      lifts.push(node);
      lifted = summaryItem(node);
    }
    return lifted;
  });
  return { start: pair.start, members, depth, lifts };
}

function bestPair(
  items: readonly ContextItem[],
  leastTokens: number,
): { start: number; members: readonly SummaryItem[] } | null {
  let best: { start: number; members: readonly SummaryItem[]; depth: number } | null = null;
  for (const [start, first] of items.entries()) {
    const second = items[start + 1];
    if (first.kind !== 'summary' || second?.kind !== 'summary') continue;
    const members = [first, second];
    const depth = Math.max(first.node.depth, second.node.depth);
    if (tokensOf(members) >= leastTokens && (best === null || depth < best.depth))
      best = { start, members, depth };
  }
  return best;
}
