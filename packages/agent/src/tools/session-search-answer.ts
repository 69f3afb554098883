import { estimateTokens, type MessageRow, type SearchHit } from '@palimpsest/core';
import { besideLine, messageLine } from './session-search-line.ts';

/** One hit may be long, several share the answer. */
const lineLimits = { alone: 1_500, of: 600, beside: 400 } as const;
/** Less room than this shows nothing of a hit. */
const leastTokens = 40;
const dayMs = 86_400_000;

export interface PackWish {
  timezone: string;
  /** Estimated tokens of all blocks together. */
  maxTokens: number;
}

/**
 * Hits as blocks of lines, best first: each with the lines around it, nearest first and what follows before what came before,
 * as long as there is room. No message is shown twice; lines of another day are not beside.
 */
export function packHits(hits: readonly SearchHit[], { timezone, maxTokens }: PackWish): readonly string[] {
  const shown = new Set<number>();
  const blocks: string[] = [];
  let left = maxTokens;
  for (const hit of hits) {
    if (shown.has(hit.row.id)) continue;
    const limit = hits.length <= 2 ? lineLimits.alone : lineLimits.of;
    const block = new Map([[hit.row.id, `> ${fit(hit, { timezone, limit, left })}`]]);
    const head = `message ${hit.row.id} (${hit.state}):`;
    const cost = estimateTokens(`${head}\n${block.get(hit.row.id)}\n\n`);
    if (cost > left) break;
    left -= cost;
    for (const row of nearestFirst(hit)) {
      const line = `  ${besideLine(row, lineLimits.beside)}`;
      const tokens = estimateTokens(`${line}\n`);
      if (shown.has(row.id) || tokens > left) continue;
      left -= tokens;
      block.set(row.id, line);
    }
    for (const id of block.keys()) shown.add(id);
    blocks.push([head, ...inOrder(hit, block)].join('\n'));
    if (left < leastTokens) break;
  }
  return blocks;
}

/** A hit that does not fit is shown shorter, never left out while there is room for some of it. */
function fit(hit: SearchHit, wish: { timezone: string; limit: number; left: number }): string {
  const { timezone, limit, left } = wish;
  const line = messageLine(hit.row, { timezone, from: hit.at, limit });
  const tokens = estimateTokens(line) + leastTokens / 2;
  if (tokens <= left) return line;
  const shorter = Math.floor((limit * left) / tokens / 2);
  return shorter < leastTokens ? line : messageLine(hit.row, { timezone, from: hit.at, limit: shorter });
}

function nearestFirst({ row, before, after }: SearchHit): MessageRow[] {
  const sameDay = (other: MessageRow): boolean =>
    Math.abs(other.sentAt.getTime() - row.sentAt.getTime()) < dayMs;
  const [earlier, later] = [before.toReversed().filter(sameDay), after.filter(sameDay)];
  const steps = Array.from({ length: Math.max(earlier.length, later.length) }, (_, step) => step);
  return steps.flatMap((step) => [later[step], earlier[step]].filter((one) => one !== undefined));
}

function inOrder(hit: SearchHit, block: ReadonlyMap<number, string>): string[] {
  return [...hit.before, hit.row, ...hit.after].flatMap(({ id }) => block.get(id) ?? []);
}
