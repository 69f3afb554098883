import {
  estimateTokens,
  type Clock,
  type CompactionFigures,
  type MessageRow,
  type Reason,
  type Summariser,
} from '@palimpsest/core';
import { deterministicSummary } from '../../compressor/deterministic-summary.ts';
import { redact } from '../../compressor/redact.ts';
import { renderRows } from '../../compressor/render-rows.ts';
import { writeSummary, type SummaryCost } from '../../compressor/write-summary.ts';
import { frameBody, type BlocksByNumber, blockText } from '../transform/block-text.ts';
import type { ShownItem } from '../transform/lay-out.ts';

/** The items of one span and all that a summary of them is made from. */
export interface BodyWish {
  items: readonly ShownItem[];
  spanTokens: number;
  bodies: ReadonlyMap<number, MessageRow>;
  blocks: BlocksByNumber;
  /** Guidance for the length. */
  targetTokens: number;
  focus: string;
  /** Real tokens of one estimated token. */
  scale: number;
}

export interface WrittenBody {
  body: string;
  outcome: 'success' | 'deterministic';
  escalation: CompactionFigures['escalation'];
  rowsDroppedWithoutSummary: number;
}

export type ModelBody =
  | { kind: 'text'; made: WrittenBody; cost: SummaryCost }
  | { kind: 'failed'; reason: Reason; cooldownMs: number; cost: SummaryCost; message: string };

/** A summary has to be this much smaller than what it stands for. */
const mostShare = 0.6;
const leastTokens = 80;
const lossyNote =
  '(Written without a model: only beginnings and ends are kept; the full messages are stored.)';

/** Let the summariser write; a failure is a value. */
export async function bodyFromModel(
  wish: BodyWish,
  help: { summariser: Summariser; clock: Clock; signal: AbortSignal },
): Promise<ModelBody> {
  const written = await writeSummary(
    {
      blocks: wish.items.flatMap((item) => textsOf(item, wish)),
      previous: '',
      focus: redact(wish.focus),
      openRequest: '',
      recent: '',
      hasLog: false,
      targetTokens: Math.max(leastTokens, Math.min(wish.targetTokens, Math.floor(wish.spanTokens / 3))),
      capTokens: capOf(wish),
      today: help.clock.now(),
      caution: Math.max(1, wish.scale),
    },
    help.summariser,
    help.signal,
  );
  if (written.kind === 'failed') {
    const { reason, cooldownMs, cost, message } = written;
    return { kind: 'failed', reason, cooldownMs, cost, message };
  }
  const { body, escalation, cost } = written;
  return { kind: 'text', made: { body, outcome: 'success', escalation, rowsDroppedWithoutSummary: 0 }, cost };
}

/** The text that needs no model, marked as what it is. */
export function bodyWithoutModel(wish: BodyWish): WrittenBody {
  const rows = wish.items.flatMap((item) => (item.kind === 'unit' ? item.unit.rows : []));
  const previous = wish.items
    .flatMap((item) => (item.kind === 'block' ? [blockText(item.block, wish.blocks, 'none')] : []))
    .join('\n\n');
  const { body, mentionedRows } = deterministicSummary({
    rows,
    bodies: wish.bodies,
    previous,
    capTokens: Math.max(leastTokens, capOf(wish) - estimateTokens(lossyNote)),
  });
  return {
    body: `${lossyNote}\n${body}`,
    outcome: 'deterministic',
    escalation: 'deterministic',
    rowsDroppedWithoutSummary: Math.max(0, rows.length - mentionedRows),
  };
}

/** Most tokens of a body, by what it is to take and by what it stands for. */
function capOf({ targetTokens, spanTokens }: BodyWish): number {
  return Math.max(leastTokens, Math.min(Math.floor(targetTokens * 1.5), Math.floor(spanTokens * mostShare)));
}

function textsOf(item: ShownItem, { bodies, blocks }: BodyWish): readonly string[] {
  if (item.kind === 'unit') return renderRows(item.unit.rows, bodies).map(({ text }) => text);
  return [redact(blockText(item.block, blocks, 'none'))];
}

/** Tokens of a block's message, by its own text. */
export function framedTokens(block: { topic: string; number: number }, body: string): number {
  return estimateTokens(frameBody(block, body, 'named'));
}
