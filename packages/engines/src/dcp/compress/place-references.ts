import type { DcpBlock } from '@palimpsest/core';
import { formatBlockRef } from '../refs/format-ref.ts';
import { blockText, type BlocksByNumber } from '../transform/block-text.ts';
import { stripTags } from '../transform/strip-tags.ts';
import type { Selection } from './select-entries.ts';

const placeholder = /\(\s*b([1-9]\d{0,8})\s*\)|\{\s*block_([1-9]\d{0,8})\s*\}/gi;
/** A shorter text may stand in a summary without having been copied from the block. */
const fewestPastedCharacters = 40;

/** A summary whose `(bN)` places are settled. */
export interface PlacedBody {
  body: string;
  /** Blocks shown inside, in order of their places. */
  refBlocks: readonly number[];
}

/**
 * Where the texts of the blocks that a range takes in are shown: at the model's own `(bN)` or `{block_N}`, the first one
 * of each; a pasted text of a block becomes its place; a block at an end of the range that was forgotten stands there, the
 * others under headings of their own behind the text. What names no block of the range stays as it is written. A rewrite
 * takes the place of the old texts: only what it names itself is kept.
 */
export function placeReferences(selection: Selection, blocks: BlocksByNumber): PlacedBody {
  const summary = stripTags(selection.entry.summary).trim();
  const { body, found } = settle(collapsePasted(summary, selection.consumed, blocks), selection.consumed);
  if (selection.isRewrite) return { body, refBlocks: [...found] };
  const forgotten = selection.consumed.map((block) => block.number).filter((number) => !found.has(number));
  const atStart = forgotten.filter((number) => number === selection.startBlock);
  const atEnd = forgotten.filter((number) => !atStart.includes(number));
  const pieces = [
    ...atStart.map((number) => `(${formatBlockRef(number)})`),
    body,
    ...atEnd.map((number) => `### (${formatBlockRef(number)})`),
  ];
  return { body: pieces.join('\n\n'), refBlocks: [...atStart, ...found, ...atEnd] };
}

/** Texts of blocks that the model copied become places, longest first, the first copy only. */
function collapsePasted(summary: string, consumed: readonly DcpBlock[], blocks: BlocksByNumber): string {
  const copies = consumed
    .flatMap((block) => {
      const shown = blockText(block, blocks, 'none');
      const [, ...lines] = shown.split('\n');
      return [shown, lines.join('\n'), block.body].map((text) => ({
        number: block.number,
        text: text.trim(),
      }));
    })
    .filter(({ text }) => text.length >= fewestPastedCharacters)
    .sort((a, b) => b.text.length - a.text.length);
  const done = new Set<number>();
  let short = summary;
  for (const { number, text } of copies) {
    const at = done.has(number) ? -1 : short.indexOf(text);
    if (at === -1) continue;
    done.add(number);
    short = `${short.slice(0, at)}(${formatBlockRef(number)})${short.slice(at + text.length)}`;
  }
  return short;
}

function settle(
  summary: string,
  consumed: readonly DcpBlock[],
): { body: string; found: ReadonlySet<number> } {
  const wanted = new Set(consumed.map((block) => block.number));
  const found = new Set<number>();
  const body = summary.replace(placeholder, (literal, round?: string, curly?: string) => {
    const number = Number(round ?? curly);
    if (!wanted.has(number) || found.has(number)) return literal;
    found.add(number);
    return `(${formatBlockRef(number)})`;
  });
  return { body, found };
}
