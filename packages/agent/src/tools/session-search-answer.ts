import { estimateTokens, type MessageRow, type SearchHit } from '@palimpsest/core';
import { besideLine, messageLine } from './session-search-line.ts';

/** Characters of a line: one hit may be long, several share the answer. */
const lineLimits = { alone: 1_500, hit: 600, beside: 400 } as const;
/** Less room than this shows nothing of a message. */
const leastTokens = 40;
/** What a row beside counts, for each row of distance. */
const shareOfDistance = 0.8;
const dayMs = 86_400_000;

export interface PackWish {
  timezone: string;
  /** Estimated tokens of all blocks together. */
  maxTokens: number;
}

interface Line {
  hit: SearchHit;
  row: MessageRow;
  rank: number;
}

/**
 * Hits as blocks of lines, best first, each with lines around it. Whatever counts most is shown, hit or not, as long as there
 * is room; a hit is shown before what stands beside it. No message is shown twice; lines of another day are not beside.
 */
export function packHits(hits: readonly SearchHit[], { timezone, maxTokens }: PackWish): readonly string[] {
  const shown = new Map<number, { hit: SearchHit; text: string }>();
  const limit = hits.length <= 2 ? lineLimits.alone : lineLimits.hit;
  let left = maxTokens;
  const show = ({ hit, row }: Line): void => {
    if (shown.has(row.id) || left < leastTokens) return;
    const text =
      row === hit.row
        ? fit((characters) => `> ${messageLine(row, { timezone, from: hit.at, limit: characters })}`, {
            limit,
            left,
          })
        : `  ${besideLine(row, lineLimits.beside)}`;
    const tokens = estimateTokens(`${text}\n\n`);
    if (tokens > left) return;
    left -= tokens;
    shown.set(row.id, { hit, text });
  };
  for (const line of byRank(hits)) {
    if (!shown.has(line.hit.row.id)) show({ ...line, row: line.hit.row });
    if (shown.has(line.hit.row.id)) show(line);
  }
  return hits.flatMap((hit) => {
    const lines = [...hit.before, hit.row, ...hit.after].flatMap(({ id }) => {
      const one = shown.get(id);
      return one?.hit === hit ? [one.text] : [];
    });
    return lines.length === 0 ? [] : [lines.join('\n')];
  });
}

/** Every line that could be shown, what counts most first. */
function byRank(hits: readonly SearchHit[]): Line[] {
  return hits
    .flatMap((hit) =>
      [hit.before.toReversed(), [hit.row], hit.after].flatMap((rows) =>
        rows
          .filter((row) => Math.abs(row.sentAt.getTime() - hit.row.sentAt.getTime()) < dayMs)
          .map((row, index) => {
            const distance = row === hit.row ? 0 : index + 1;
            return { hit, row, rank: (hit.nearRanks.get(row.id) ?? 0) * shareOfDistance ** distance };
          }),
      ),
    )
    .sort((a, b) => b.rank - a.rank);
}

/** A hit that does not fit is shown shorter, never left out while there is room for some of it. */
function fit(
  lineOf: (characters: number) => string,
  { limit, left }: { limit: number; left: number },
): string {
  const line = lineOf(limit);
  const tokens = estimateTokens(line) + 2;
  if (tokens <= left) return line;
  return lineOf(Math.max(leastTokens, Math.floor((limit * (left - leastTokens / 2)) / tokens)));
}
