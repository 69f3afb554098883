import {
  blocksWithin,
  estimateTokens,
  messageFramingTokens,
  shownTokens,
  type DcpBlock,
  type DcpOrigin,
  type MessageRow,
} from '@palimpsest/core';
import { formatBlockRef } from '../refs/format-ref.ts';
import { frameBody } from '../transform/block-text.ts';
import { refAt, replacedTokens, type CompressGround } from './ground.ts';
import { leastNetTokens } from './least-net.ts';
import { placeReferences } from './place-references.ts';
import { problem, type Checked, type CompressProblem } from './problem.ts';
import { protectedContent } from './protected-content.ts';
import type { Selection } from './select-entries.ts';

/** Summaries within summaries deeper than this are read by nobody; such a chain is to be written anew. */
const deepestNesting = 8;
/** The longest summary that is meant for large windows is at most this share of a small one. */
const mostSummaryShare = 0.25;

export interface BlockWish {
  ground: CompressGround;
  /** Texts of all rows that are newly covered. */
  bodies: ReadonlyMap<number, MessageRow>;
  topic: string;
  origin: DcpOrigin | null;
  author: DcpBlock['author'];
  durationMs: number;
  /** False when a call is done again that had been accepted: sizes do not matter then. */
  checksSizes: boolean;
}

/** Blocks, and what each takes out of the prompt and puts into it. */
export interface WrittenBlocks {
  blocks: readonly DcpBlock[];
  removedTokens: number;
  summaryTokens: number;
}

/** The blocks of a call, numbered on from the state; every bad entry is told and then none is made. */
export function writeBlocks(selections: readonly Selection[], wish: BlockWish): Checked<WrittenBlocks> {
  const problems: CompressProblem[] = [];
  const blocks: DcpBlock[] = [];
  let removedTokens = 0;
  let summaryTokens = 0;
  for (const selection of selections) {
    const missing = missingBlock(selection, wish.ground);
    if (missing) {
      problems.push(missing);
      continue;
    }
    const block = writeBlock(selection, wish, wish.ground.state.nextBlock + blocks.length);
    const shown = shownTokens(block, wish.ground.blocks);
    const replaced = replacedTokens(block, wish.ground.blocks);
    if (wish.checksSizes) problems.push(...sizeProblems(selection, { wish, block, shown, replaced }));
    blocks.push(block);
    removedTokens += replaced;
    summaryTokens += shown;
  }
  if (problems.length === 0 && wish.checksSizes)
    problems.push(...netProblem(wish.ground, removedTokens - summaryTokens));
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, value: { blocks, removedTokens, summaryTokens } };
}

function writeBlock(selection: Selection, wish: BlockWish, number: number): DcpBlock {
  const { entry, units, consumed, span } = selection;
  const { ground } = wish;
  const placed = placeReferences(selection, ground.blocks);
  const kept = protectedContent(units, { ...ground, bodies: wish.bodies });
  const body = kept === '' ? placed.body : `${placed.body}\n\n${kept}`;
  const topic = entry.topic ?? wish.topic;
  return {
    number,
    run: ground.state.nextRun,
    author: wish.author,
    mode: ground.config.compress.mode,
    topic,
    batchTopic: entry.topic === null ? null : wish.topic,
    body,
    refBlocks: placed.refBlocks,
    startRef: refAt(ground, firstNamed(selection, ground)),
    endRef: refAt(ground, span.last),
    anchorUnit: ground.units[firstNamed(selection, ground)]!.id,
    unitIds: units.map((unit) => unit.id),
    consumed: consumed.map((block) => block.number).sort((a, b) => a - b),
    origin: wish.origin,
    status: 'on',
    rawTokens: units.reduce((sum, unit) => sum + ground.tokensOf(unit), 0),
    summaryTokens: estimateTokens(frameBody({ topic, number }, body, 'named')) + messageFramingTokens,
    durationMs: wish.durationMs,
  };
}

/** First position that is really covered: a unit that waits for a result may stand before it. */
function firstNamed({ span, units }: Selection, ground: CompressGround): number {
  const chosen = new Set(units);
  for (let position = span.first; position <= span.last; position++) {
    const unit = ground.units[position]!;
    if (chosen.has(unit) || ground.cover.has(unit.id)) return position;
  }
  return span.first;
}

/** A text that is to be shown inside must be there, and so must those inside it. */
function missingBlock({ entry, consumed }: Selection, { blocks }: CompressGround): CompressProblem | null {
  const within = consumed.flatMap((block) => blocksWithin(block, blocks));
  const lost = within.flatMap((block) =>
    [block.number, ...block.refBlocks].filter((number) => (blocks.get(number)?.body ?? '') === ''),
  );
  if (lost.length === 0) return null;
  const names = [...new Set(lost)].map(formatBlockRef).join(', ');
  const text = `the text of ${names} is gone; leave ${consumed.map((block) => formatBlockRef(block.number)).join(', ')} out of the range`;
  return problem('E_BLOCK_MISSING', entry.path, text);
}

function sizeProblems(
  { entry, isRewrite }: Selection,
  { wish, block, shown, replaced }: { wish: BlockWish; block: DcpBlock; shown: number; replaced: number },
): readonly CompressProblem[] {
  const { config, windowTokens, blocks } = wish.ground;
  const most = Math.min(config.maxSummaryTokens, Math.floor(windowTokens * mostSummaryShare));
  const inner = block.refBlocks.map(formatBlockRef).join(', ');
  const hint =
    inner === '' ? '' : `, ${inner} included; first shorten ${inner} by giving it as both startId and endId`;
  if (shown > most)
    return [
      problem(
        'E_SUMMARY_TOO_LARGE',
        entry.path,
        `the summary has about ${shown} tokens, at most ${most} are allowed${hint || '; write a shorter one'}`,
      ),
    ];
  if (depthOf(block, blocks) > deepestNesting)
    return [
      problem(
        'E_SUMMARY_TOO_LARGE',
        entry.path,
        `blocks lie ${deepestNesting} deep inside each other${hint}`,
      ),
    ];
  if (shown < replaced) return [];
  const advice = isRewrite ? 'write a shorter summary' : 'take a larger range or write a shorter summary';
  const text = `the summary has about ${shown} tokens, what it replaces has ${replaced}; ${advice}`;
  return [problem('E_NO_GAIN', entry.path, text)];
}

function netProblem({ config, windowTokens }: CompressGround, net: number): readonly CompressProblem[] {
  const least = leastNetTokens(config, windowTokens);
  if (net >= least) return [];
  const text = `this would save about ${net} tokens, at least ${least} are worth it; take a larger range or go on without`;
  return [problem('E_NO_GAIN', '', text)];
}

/** How many blocks lie inside each other; 1 for one without others inside. */
function depthOf(block: DcpBlock, blocks: ReadonlyMap<number, DcpBlock>): number {
  const inner = block.refBlocks.flatMap((number) => blocks.get(number) ?? []);
  return 1 + inner.reduce((deepest, one) => Math.max(deepest, depthOf(one, blocks)), 0);
}
