import type { DcpBlock } from '@palimpsest/core';
import { formatBlockRef, formatUnitRef, parseRef, type NamedRef } from '../refs/format-ref.ts';
import type { CompressGround, Span } from './ground.ts';
import { problem, type Checked, type CompressProblem } from './problem.ts';
import { validRefs } from './valid-refs.ts';

/** Where a ref stands: one unit, or all that a block covers. */
export interface ResolvedRef {
  ref: NamedRef;
  span: Span;
}

/**
 * The place of a ref. A unit that a block hides is still found, and the range then widens to the whole block.
 * path   of the field, for the problem
 */
export function resolveRef(ground: CompressGround, text: string, path: string): Checked<ResolvedRef> {
  const ref = parseRef(text);
  if (!ref) return { ok: false, problems: [formatProblem(ground, text, path)] };
  const found = ref.kind === 'unit' ? resolveUnit(ground, ref.number) : resolveBlock(ground, ref.number);
  if (typeof found !== 'string') return { ok: true, value: { ref, span: found } };
  return { ok: false, problems: [problem('E_REF_UNKNOWN', path, `${found}; valid now: ${listed(ground)}`)] };
}

/** Wrong form; both ends of an entry are told together by whoever collects. */
export function formatProblem({ config }: CompressGround, text: string, path: string): CompressProblem {
  if (text.replace(/[[\]\s]/g, '').toUpperCase() === 'BLOCKED')
    return problem('E_REF_FORMAT', path, 'a BLOCKED message cannot be compressed; leave it out');
  const forms = config.compress.mode === 'range' ? 'm0001 or b1' : 'm0001';
  const seen = text.length > 40 ? `${text.slice(0, 40).toWellFormed()}…` : text;
  return problem(
    'E_REF_FORMAT',
    path,
    `${JSON.stringify(seen)} is no ref; write it as it stands at the end of the message, such as ${forms}`,
  );
}

/** What may be named instead, in a few words. */
export function listed(ground: CompressGround): string {
  const refs = validRefs(ground);
  return refs.length === 0 ? 'nothing, all messages are too recent' : refs.join(', ');
}

/** The place, or why there is none. */
function resolveUnit({ state, positions }: CompressGround, number: number): Span | string {
  const position = positions.get(number);
  if (position !== undefined) return { first: position, last: position };
  const name = formatUnitRef(number);
  if (number >= state.nextRef) return `${name} was never given to a message`;
  if (![...state.refs.values()].includes(number))
    return `${name} is of before the conversation was rewritten; marks began anew`;
  return `${name} was taken back or deleted`;
}

function resolveBlock(ground: CompressGround, number: number): Span | string {
  const { state, blocks, activity, spans } = ground;
  const name = formatBlockRef(number);
  const span = spans.get(number);
  const status = activity.get(number);
  if (status === 'active') return span ?? `${name} covers nothing any more`;
  const block = blocks.get(number);
  if (!block)
    return number >= state.nextBlock
      ? `${name} was never made`
      : `${name} is of before the conversation was rewritten`;
  if (status === 'consumed') return `${name} is already inside ${formatBlockRef(holderOf(block, ground))}`;
  return `${name} is switched off, its messages are shown again`;
}

/** The active block that a block is part of. */
function holderOf(block: DcpBlock, { blocks, activity }: CompressGround): number {
  let holder = block.number;
  // Ascending: what takes a block in is younger.
  for (const one of blocks.values())
    if (one.consumed.includes(holder) && ['active', 'consumed'].includes(activity.get(one.number) ?? ''))
      holder = one.number;
  return holder;
}
