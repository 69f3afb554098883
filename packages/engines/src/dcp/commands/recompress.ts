import { blockActivity, type DcpState, type EngineCommandEnd, type RowHeader } from '@palimpsest/core';
import { formatBlockRef } from '../refs/format-ref.ts';
import { applyChange } from '../state/apply-change.ts';
import { changeEnd } from './change-end.ts';
import type { CommandGround } from './command-ground.ts';
import { groupOf } from './decompress.ts';
import { blockLine, blockNumber } from './name-blocks.ts';

/** /dcp recompress [n|bN]: a block that the person had shown in full is put in its place again. */
export function recompress({ desk, view }: CommandGround, argument: string): EngineCommandEnd {
  const { state } = desk;
  const off = state.blocks.filter((block) => block.status === 'user_off');
  if (argument.trim() === '') {
    if (off.length === 0) return { text: 'No block was shown in full by /dcp decompress.' };
    return { text: ['These can be condensed again:', ...off.map(blockLine)].join('\n') };
  }
  const number = blockNumber(argument);
  const block = off.find((one) => one.number === number);
  if (!block)
    return {
      text: `Only a block that /dcp decompress showed in full can be condensed again; ${JSON.stringify(argument.trim())} is none.`,
    };
  const group = groupOf(block, off);
  const statuses = group.map((one) => ({ block: one.number, status: 'on' as const }));
  const names = group.map((one) => formatBlockRef(one.number));
  const after = applyChange(state, { baseVersion: state.version, statuses });
  if (
    !isShown(
      after,
      view.rows,
      group.map((one) => one.number),
    )
  )
    return {
      text: `${names.join(', ')} cannot be condensed again: its messages changed, or a newer block stands for them.`,
    };
  return changeEnd(desk, `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} condensed again.`, {
    statuses,
    events: [{ kind: 'recompress', detail: { blocks: names } }],
  });
}

function isShown(state: DcpState, rows: readonly RowHeader[], numbers: readonly number[]): boolean {
  const activity = blockActivity(state, { rows, isWhole: true });
  return numbers.every((number) => activity.get(number) === 'active');
}
