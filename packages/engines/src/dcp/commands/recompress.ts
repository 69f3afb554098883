import { blockActivity, type DcpState, type EngineCommandEnd, type RowHeader } from '@palimpsest/core';
import { formatBlockRef } from '../refs/format-ref.ts';
import { applyChange } from '../state/apply-change.ts';
import { changeEnd } from './change-end.ts';
import type { CommandGround } from './command-ground.ts';
import { groupOf } from './decompress.ts';
import { blockLine, blockNumber } from './name-blocks.ts';

/** /dcp recompress [n|bN]: a block that the person had shown in full is put in its place again. */
export function recompress({ desk, view, say }: CommandGround, argument: string): EngineCommandEnd {
  const { state } = desk;
  const off = state.blocks.filter((block) => block.status === 'user_off');
  if (argument.trim() === '') {
    if (off.length === 0) return { text: say('dcpNoneOff') };
    return { text: [say('dcpCanAgain'), ...off.map((block) => blockLine(block, say))].join('\n') };
  }
  const number = blockNumber(argument);
  const block = off.find((one) => one.number === number);
  if (!block) return { text: say('dcpNotOff', { name: JSON.stringify(argument.trim()) }) };
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
    return { text: say('dcpCannotAgain', { blocks: names.join(', ') }) };
  return changeEnd(desk, say('dcpAgain', { blocks: names.join(', ') }), {
    statuses,
    events: [{ kind: 'recompress', detail: { blocks: names } }],
  });
}

function isShown(state: DcpState, rows: readonly RowHeader[], numbers: readonly number[]): boolean {
  const activity = blockActivity(state, { rows, isWhole: true });
  return numbers.every((number) => activity.get(number) === 'active');
}
