import { redact } from '../compressor/redact.ts';
import { estimateTokens } from '@palimpsest/core';
import { condensedSource, saysNothing } from './condensed-source.ts';
import { nextCondensedRun, type CondensedRun } from './condensed-run.ts';
import { tokensOf } from './items.ts';
import { liftedRun } from './mixed-run.ts';
import { contentsOf, earlierSummaries, type PassEnd } from './leaf-pass.ts';
import { condensedNode } from './make-node.ts';
import type { Workbench } from './workbench.ts';
import { writeText } from './write-text.ts';

const leastTargetTokens = 512;
/** A summary of summaries that is longer than this share of them is not worth its place. */
const mostShare = 0.5;

export interface CondensedPassWish {
  /** The least fan-out of pressure instead of the usual one. */
  isPressed: boolean;
  /** Deepest summary that may be made; -1 = any. */
  maxDepth: number;
}

/** One summary of summaries; 'none' where there is no run, or where condensing it would save nothing. */
export async function condensedPass(bench: Workbench, wish: CondensedPassWish): Promise<PassEnd> {
  const run = chooseRun(bench, wish) ?? (wish.isPressed ? await mixedRun(bench) : null);
  if (!run || !bench.mayPass()) return { kind: 'none' };
  const { sessionId, style } = bench.ground;
  const ids = run.members.map(({ node }) => node.id);
  const contents = await contentsOf(bench, ids);
  // A lifted summary brings its text along.
  const nodes = run.members.map(({ node }, index) => ({ content: contents[index]!, ...node }));
  const source = redact(condensedSource(nodes, style.time));
  if (source === '' || nodes.every(({ content }) => saysNothing(content))) return { kind: 'none' };
  bench.passes += 1;
  const end = await summarise(bench, run, source);
  if (end.kind === 'stop') bench.stop = end;
  if (end.kind !== 'text') return { kind: 'none' };
  bench.made.push(...(run.lifts ?? []));
  bench.replace(
    run.start,
    run.members.length,
    condensedNode(run.members, end.written, { sessionId, time: style.time, source }),
  );
  return { kind: 'done' };
}

function chooseRun({ ground, items }: Workbench, wish: CondensedPassWish): CondensedRun | null {
  const { lcm } = ground.config.context;
  const usual = (depth: number): number =>
    depth === 0 ? (lcm.leaf_condense_min_fanout ?? lcm.condensed_min_fanout) : lcm.condensed_min_fanout;
  return nextCondensedRun(items, {
    minFanout: wish.isPressed ? () => lcm.condensed_min_fanout_hard : usual,
    leastTokens: ground.sizes.leastCondensedTokens,
    mostTokens: ground.sizes.leafChunkTokens,
    maxDepth: wish.maxDepth,
  });
}

/** Neighbours of different depth: the last resort under pressure. */
async function mixedRun(bench: Workbench): Promise<CondensedRun | null> {
  const { items, ground } = bench;
  if (ground.config.context.lcm.condensed_min_fanout_hard > 2) return null;
  const ids = items.flatMap((item) => (item.kind === 'summary' ? [item.node.id] : []));
  const contents = await contentsOf(bench, ids);
  const byId = new Map(ids.map((id, index) => [id, contents[index]!]));
  return liftedRun(
    items,
    { leastTokens: Math.floor(ground.sizes.leastCondensedTokens / 2) },
    {
      sessionId: ground.sessionId,
      time: ground.style.time,
      contentOf: (id) => byId.get(id) ?? '',
    },
  );
}

async function summarise(bench: Workbench, run: CondensedRun, source: string): ReturnType<typeof writeText> {
  const { ground } = bench;
  const { lcm } = ground.config.context;
  const sourceTokens = tokensOf(run.members);
  const targetTokens = Math.round(
    Math.min(Math.max(leastTargetTokens, ground.sizes.condensedTargetTokens), sourceTokens * mostShare),
  );
  return writeText(
    {
      depth: run.depth + 1,
      source,
      // Deeper summaries stand on their own: what came before would only be told again.
      previous:
        run.depth === 0 ? redact(await earlierSummaries(bench, bench.items.slice(0, run.start), 0)) : '',
      focus: redact(ground.request.focus?.trim() ?? ''),
      targetTokens,
      aggressiveTokens: Math.max(64, Math.round(targetTokens * mostShare)),
      fallbackTokens: Math.min(lcm.fallback_max_tokens, estimateTokens(source)),
      isSmaller: (written) =>
        condensedNode(run.members, written, {
          sessionId: ground.sessionId,
          time: ground.style.time,
          source,
        }).tokens < sourceTokens,
      restMs: () => bench.restMs(),
    },
    { desk: ground.desk, config: lcm },
  );
}
