import { applyChange } from '../state/apply-change.ts';
import type { DcpBlock, DcpChange, ToolResult } from '@palimpsest/core';
import { formatBlockRef } from '../refs/format-ref.ts';
import { compressGround, type CompressGround, type GroundInput } from './ground.ts';
import type { CompressProblem } from './problem.ts';
import type { Selection } from './select-entries.ts';
import { validRefs } from './valid-refs.ts';
import type { WrittenBlocks } from './write-blocks.ts';

/** What a model reads of a call that failed: all problems, one a line, and that nothing was done. */
export function failedResult(problems: readonly CompressProblem[]): ToolResult {
  const lines = problems.map(({ code, path, text }) => [code, path, text].filter(Boolean).join(': '));
  const message = `Nothing was compressed.\n${lines.join('\n')}`;
  const error = { code: problems[0]?.code ?? 'E_CONTENT', message };
  return { text: JSON.stringify({ ok: false, error }), isError: true };
}

/** What a model reads of a call that made blocks. `after`: the ground with them. */
export function doneResult(
  done: { written: WrittenBlocks; message: string },
  after: CompressGround,
): ToolResult {
  const { blocks, removedTokens, summaryTokens } = done.written;
  const text = JSON.stringify({
    ok: true,
    mode: after.config.compress.mode,
    created_blocks: blocks.map((block) => formatBlockRef(block.number)),
    deactivated_blocks: blocks.flatMap((block) => block.consumed.map(formatBlockRef)),
    active_blocks: after.active.map((block) => formatBlockRef(block.number)),
    removed_tokens: removedTokens,
    summary_tokens: summaryTokens,
    net_tokens: removedTokens - summaryTokens,
    valid_refs: validRefs(after),
    message: done.message,
  });
  return { text, isError: false };
}

/** The ground once a change is applied; rows are the same. */
export function groundAfter(input: GroundInput, change: DcpChange): CompressGround {
  return compressGround({ ...input, state: applyChange(input.state, change) });
}

/** `b1: 2 messages; b2: 5 messages and b1, widened to b1-m0007` */
export function doneMessage(blocks: readonly DcpBlock[], selections: readonly Selection[]): string {
  return blocks
    .map((block, index) => {
      const count = block.unitIds.length;
      const messages = count === 0 ? [] : [`${count} ${count === 1 ? 'message' : 'messages'}`];
      const covered = [...messages, ...block.consumed.map(formatBlockRef)].join(' and ');
      const widened = selections[index]?.isWidened ? `, widened to ${block.startRef}-${block.endRef}` : '';
      return `${formatBlockRef(block.number)}: ${covered}${widened}`;
    })
    .join('; ');
}
