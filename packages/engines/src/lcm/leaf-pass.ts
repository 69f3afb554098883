import { estimateTokens } from '@palimpsest/core';
import { redact } from '../compressor/redact.ts';
import { smallerChunk } from './dynamic-chunk.ts';
import type { ContextItem } from './items.ts';
import { nextLeafChunk, type LeafChunk } from './leaf-chunk.ts';
import { headerTokens, leafSource } from './leaf-source.ts';
import { leafNode, type WrittenText } from './make-node.ts';
import type { Workbench } from './workbench.ts';
import { writeText } from './write-text.ts';

/** A summary of this share of its source is aimed at; the least that says something. */
const targetShare = 0.35;
const leastTargetTokens = 192;
const aggressiveShares = { ofTarget: 0.55, ofSource: 0.2 };
const leastAggressiveTokens = 96;

export interface LeafPassWish {
  isUrgent: boolean;
  /** Messages of earlier items were tried and gave nothing. */
  from: number;
  /** Smaller than usual after a model refused the size. */
  chunkTokens?: number;
}

export type PassEnd =
  | { kind: 'done' }
  /** Nothing came of this chunk; the next one begins at `from`. */
  | { kind: 'skipped'; from: number }
  | { kind: 'none' };

/** One leaf: the next chunk, its text, its place in the context. A stop is left on the bench. */
export async function leafPass(bench: Workbench, wish: LeafPassWish): Promise<PassEnd> {
  const { ground } = bench;
  const chunkTokens = wish.chunkTokens ?? ground.chunkTokens;
  const chunk = nextLeafChunk(bench.items, bench.tail(), {
    chunkTokens,
    minMessages: ground.config.context.lcm.leaf_min_fanout,
    enoughTokens: Math.min(chunkTokens, ground.sizes.leafChunkTokens),
    isUrgent: wish.isUrgent,
    from: wish.from,
    headerTokens: ({ row }) => headerTokens(row, ground.style),
  });
  if (!chunk || !bench.mayPass()) return { kind: 'none' };
  const rows = chunk.rows.map(({ row }) => row);
  const source = leafSource(rows, await ground.texts.rows(rows.map(({ id }) => id)), ground.style);
  const past = { kind: 'skipped' as const, from: chunk.start + rows.length };
  if (source === '') return past;
  const end = await summarise(bench, chunk, source);
  if (end.kind === 'text') return place(bench, chunk, { source, written: end.written });
  if (end.kind === 'not_smaller') return past;
  if (end.kind === 'stop') {
    bench.stop = end;
    return { kind: 'none' };
  }
  const smaller = smallerChunk(chunkTokens, ground.sizes.leafChunkTokens);
  return smaller === null ? past : leafPass(bench, { ...wish, chunkTokens: smaller });
}

async function summarise(bench: Workbench, chunk: LeafChunk, source: string): ReturnType<typeof writeText> {
  const { ground } = bench;
  const { lcm } = ground.config.context;
  bench.passes += 1;
  const targetTokens = Math.round(
    Math.max(leastTargetTokens, Math.min(chunk.tokens * targetShare, ground.sizes.leafTargetTokens)),
  );
  const aggressive = Math.min(
    targetTokens * aggressiveShares.ofTarget,
    chunk.tokens * aggressiveShares.ofSource,
  );
  return writeText(
    {
      depth: 0,
      source,
      previous: await previousContext(bench, chunk.start),
      focus: redact(ground.request.focus?.trim() ?? ''),
      targetTokens,
      aggressiveTokens: Math.round(Math.max(leastAggressiveTokens, aggressive)),
      fallbackTokens: Math.min(
        lcm.fallback_max_tokens,
        ground.sizes.leafTargetTokens,
        estimateTokens(source),
      ),
      isSmaller: (written) => sizeOf(bench, chunk, { source, written }) < itemTokens(chunk),
      restMs: () => bench.restMs(),
    },
    { desk: ground.desk, config: lcm },
  );
}

interface Written {
  source: string;
  written: WrittenText;
}

function place(bench: Workbench, chunk: LeafChunk, { source, written }: Written): PassEnd {
  const { sessionId, style } = bench.ground;
  bench.replace(
    chunk.start,
    chunk.rows.length,
    leafNode(chunk.rows, written, { sessionId, time: style.time, source }),
  );
  bench.lastLeaf = written.content;
  return { kind: 'done' };
}

function sizeOf(bench: Workbench, chunk: LeafChunk, { source, written }: Written): number {
  const { sessionId, style } = bench.ground;
  return leafNode(chunk.rows, written, { sessionId, time: style.time, source }).tokens;
}

function itemTokens(chunk: LeafChunk): number {
  return chunk.rows.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** The leaf made just before, else the two newest summaries in front of the chunk. */
async function previousContext(bench: Workbench, start: number): Promise<string> {
  if (bench.lastLeaf !== null) return redact(bench.lastLeaf);
  return redact(await earlierSummaries(bench, bench.items.slice(0, start)));
}

/** Texts of the newest summaries among these items, oldest first. */
export async function earlierSummaries(
  bench: Workbench,
  items: readonly ContextItem[],
  depth?: number,
): Promise<string> {
  const nodes = items.flatMap((item) =>
    item.kind === 'summary' && (depth === undefined || item.node.depth === depth) ? [item.node] : [],
  );
  const texts = await contentsOf(
    bench,
    nodes.slice(-2).map(({ id }) => id),
  );
  return texts.join('\n\n');
}

/** Texts of summaries, of this sweep or stored, in the order asked for. */
export async function contentsOf(bench: Workbench, ids: readonly string[]): Promise<readonly string[]> {
  const made = new Map(bench.made.map((node) => [node.id, node.content]));
  const stored = await bench.ground.texts.nodes(ids.filter((id) => !made.has(id)));
  return ids.map((id) => made.get(id) ?? stored.get(id)?.content ?? '');
}
