import type { DcpBlock } from '@palimpsest/core';
import { formatBlockRef } from '../refs/format-ref.ts';
import { stripTags } from './strip-tags.ts';

/** Deeper nesting than any that helps; what lies below is named as missing instead of recursing on. */
const deepestNesting = 40;
const reference = /\(\s*b(?:lock_)?([1-9]\d{0,8})\s*\)/gi;
const headingOfReference = /^(#{1,6}) *\(\s*b(?:lock_)?([1-9]\d{0,8})\s*\) *$/gim;

export type BlocksByNumber = ReadonlyMap<number, DcpBlock>;
/** named: a range may begin or end with it · blocked: seen, not to be chosen (message mode) · none: no compress tool. */
export type BlockMark = 'named' | 'blocked' | 'none';

/**
 * The message that stands for a block: a header that speaks of the past, the summary with the blocks it refers to
 * written out, and the mark that a later call names it by. No mark of a message is in it.
 */
export function blockText(block: DcpBlock, blocks: BlocksByNumber, mark: BlockMark): string {
  const body = expandBody(block, { blocks, shown: new Set([block.number]), depth: 0 });
  return frameBody(block, body, mark);
}

/** A summary with the header and the mark that it is shown with. */
export function frameBody(
  { topic, number }: Pick<DcpBlock, 'topic' | 'number'>,
  body: string,
  mark: BlockMark,
): string {
  const lines = [`[Record of earlier messages, condensed: ${oneLine(topic)}]`, stripTags(body).trim()];
  if (mark === 'named') lines.push(`[${formatBlockRef(number)}]`);
  if (mark === 'blocked') lines.push('[BLOCKED]');
  return lines.join('\n');
}

interface Expansion {
  blocks: BlocksByNumber;
  /** Numbers already written out in this message: a shared one comes once. */
  shown: Set<number>;
  depth: number;
}

function expandBody(block: DcpBlock, state: Expansion): string {
  if (block.refBlocks.length === 0) return block.body;
  const places = new Set(block.refBlocks);
  const write = (digits: string, literal: string): string => {
    const number = Number(digits);
    if (!places.delete(number)) return literal;
    return expandOne(number, block, state);
  };
  const headed = block.body.replace(headingOfReference, (literal, hashes: string, digits: string) => {
    const inner = state.blocks.get(Number(digits));
    const text = write(digits, literal);
    return text === literal ? literal : `${hashes} ${oneLine(inner?.topic ?? 'Earlier part')}\n${text}`;
  });
  return headed.replace(reference, (literal, digits: string) => write(digits, literal));
}

function expandOne(number: number, parent: DcpBlock, state: Expansion): string {
  const inner = state.blocks.get(number);
  if (state.shown.has(number)) return `(see above: ${oneLine(inner?.topic ?? `b${number}`)})`;
  state.shown.add(number);
  const isSound = inner !== undefined && inner.number < parent.number && inner.body !== '';
  if (!isSound || state.depth >= deepestNesting) return '(this part is no longer available)';
  return stripTags(expandBody(inner, { ...state, depth: state.depth + 1 })).trim();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
