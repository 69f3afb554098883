import { activeBlocks, blockActivity, type DcpBlock, type EngineCommandEnd } from '@palimpsest/core';
import { formatBlockRef } from '../refs/format-ref.ts';
import { applyChange } from '../state/apply-change.ts';
import { layOut } from '../transform/lay-out.ts';
import { measureLayout } from '../transform/measure.ts';
import { changeEnd, inWords } from './change-end.ts';
import type { CommandGround } from './command-ground.ts';
import { activityTexts, blockLine, blockNumber } from './name-blocks.ts';

/** A prompt over this share of the window would be condensed again at once. */
const mostShare = 0.85;

/** /dcp decompress [n|bN]: what a block hides is shown in full again; blocks that it took in come back as blocks. */
export function decompress({ desk, view, model }: CommandGround, argument: string): EngineCommandEnd {
  const { state, config } = desk;
  const activity = blockActivity(state, { rows: view.rows, isWhole: true });
  const active = activeBlocks(state, activity);
  if (argument.trim() === '') return { text: listText(active) };
  const number = blockNumber(argument);
  const block = state.blocks.find((one) => one.number === number);
  if (!block) return { text: `There is no block ${JSON.stringify(argument.trim())}.\n${listText(active)}` };
  const name = formatBlockRef(block.number);
  const now = activity.get(block.number)!;
  if (now === 'consumed') {
    const parent = active.find((one) => holds(one, block.number, state.blocks));
    const first = parent ? `; decompress ${formatBlockRef(parent.number)} first` : '';
    return { text: `${name} ${activityTexts.consumed}${first}.` };
  }
  if (now !== 'active') return { text: `${name} ${activityTexts[now]}.` };
  const group = groupOf(block, active);
  const statuses = group.map((one) => ({ block: one.number, status: 'user_off' as const }));
  const after = applyChange(state, { baseVersion: state.version, statuses });
  const size = measureLayout(layOut(after, view.rows), after, config);
  const more = (size.tokens - desk.measure(view).tokens) * view.session.estimateRatio;
  const { lastPromptTokens, estimateRatio } = view.session;
  const wholeTokens = lastPromptTokens > 0 ? lastPromptTokens + more : size.tokens * estimateRatio;
  const names = group.map((one) => formatBlockRef(one.number)).join(', ');
  if (wholeTokens > model.windowTokens * mostShare)
    return {
      text: `${names} in full would make about ${inWords(wholeTokens)} of ${inWords(model.windowTokens)} tokens, which is too much; nothing is changed.`,
    };
  return changeEnd(
    desk,
    `${names} ${group.length === 1 ? 'is' : 'are'} shown in full again, about ${inWords(more)} tokens more. /dcp recompress ${block.number} takes that back.`,
    {
      statuses,
      events: [{ kind: 'decompress', detail: { blocks: group.map((one) => formatBlockRef(one.number)) } }],
    },
  );
}

/** Blocks of message mode come and go with all of their call. */
export function groupOf(block: DcpBlock, among: readonly DcpBlock[]): readonly DcpBlock[] {
  if (block.mode === 'range') return [block];
  return among.filter((one) => one.mode === 'message' && one.run === block.run);
}

function holds(parent: DcpBlock, number: number, blocks: readonly DcpBlock[]): boolean {
  return parent.consumed.some((inner) => {
    const block = blocks.find((one) => one.number === inner);
    return inner === number || (block !== undefined && holds(block, number, blocks));
  });
}

function listText(active: readonly DcpBlock[]): string {
  if (active.length === 0) return 'Nothing is condensed now.';
  return [
    'Condensed now, with /dcp decompress and a number it is shown in full:',
    ...active.map(blockLine),
  ].join('\n');
}
