import {
  estimateTokens,
  messageFramingTokens,
  type DcpState,
  type PromptMessage,
  type TranscriptView,
} from '@palimpsest/core';
import type { DcpConfig } from '../compress/ground.ts';
import { sanitisePairs } from '../../compressor/sanitise-pairs.ts';
import { blockText, type BlockMark, type BlocksByNumber } from './block-text.ts';
import { shownRowIds, type DcpLayout } from './lay-out.ts';
import { renderGround, renderUnit } from './render-unit.ts';

export interface TransformInput {
  view: Pick<TranscriptView, 'bodies'>;
  layout: DcpLayout;
  state: DcpState;
  config: DcpConfig;
}

/**
 * The conversation as it is sent, without any nudge: blocks in the places of what they hide, marked calls shortened,
 * past compress calls stubbed, refs at the ends. A pure function of rows, state and config: what is old reads the same
 * until the state's version rises. Texts are read only of rows that no block hides.
 */
export async function transform({
  view,
  layout,
  state,
  config,
}: TransformInput): Promise<readonly PromptMessage[]> {
  const bodies = await view.bodies(shownRowIds(layout));
  const ground = renderGround(state, config, bodies);
  const messages = layout.items.flatMap((item) =>
    item.kind === 'unit'
      ? renderUnit(item.unit, ground)
      : [blockMessage(item.block.number, { blocks: layout.blocks, config })],
  );
  return sanitisePairs(messages);
}

/** One message in the person's role: every wire takes it between any two others. */
function blockMessage(
  number: number,
  { blocks, config }: { blocks: BlocksByNumber; config: DcpConfig },
): PromptMessage {
  const text = blockText(blocks.get(number)!, blocks, blockMarkOf(config));
  return { role: 'user', parts: [{ type: 'text', text }] };
}

function blockMarkOf({ compress }: DcpConfig): BlockMark {
  if (compress.permission === 'deny') return 'none';
  return compress.mode === 'message' ? 'blocked' : 'named';
}

/** Tokens of the message that stands for a block. */
export function blockTokens(number: number, blocks: BlocksByNumber, config: DcpConfig): number {
  return messageFramingTokens + estimateTokens(blockText(blocks.get(number)!, blocks, blockMarkOf(config)));
}
