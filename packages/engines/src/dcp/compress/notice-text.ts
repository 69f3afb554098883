import { never } from '@palimpsest/core';
import type { DcpConfig } from './ground.ts';
import type { WrittenBlocks } from './write-blocks.ts';

/**
 * What a person is told of a compress call, once a call however many blocks it made; null: nothing. Sizes are estimates.
 * One line, or in detail a line a block, with the summaries where the config wants them shown.
 */
export function noticeText(written: WrittenBlocks, config: DcpConfig): string | null {
  const { pruneNotification, compress } = config;
  switch (pruneNotification) {
    case 'off':
      return null;
    case 'minimal':
      return headLine(written);
    case 'detailed': {
      const lines = written.blocks.map((block) => {
        const line = `b${block.number}: ${block.topic} (${block.startRef} to ${block.endRef})`;
        return compress.showCompression ? `${line}\n${block.body}` : line;
      });
      return [headLine(written), ...lines].join('\n');
    }
    default:
      return never(pruneNotification);
  }
}

function headLine({ blocks, removedTokens, summaryTokens }: WrittenBlocks): string {
  const count = blocks.reduce((sum, block) => sum + block.unitIds.length, 0);
  const net = Math.max(0, removedTokens - summaryTokens);
  const what = count === 0 ? 'An earlier summary' : `${count} ${count === 1 ? 'message' : 'messages'}`;
  return `${what} condensed by the model, about ${net.toLocaleString('en')} tokens saved; nothing is lost, /undo_compaction takes it back.`;
}
