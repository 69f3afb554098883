import {
  activeBlocks,
  blockActivity,
  type DcpBlock,
  type DcpChange,
  type EngineCommandEnd,
} from '@palimpsest/core';
import { formatBlockRef } from '../refs/format-ref.ts';
import { applyChange } from '../state/apply-change.ts';
import { layOut } from '../transform/lay-out.ts';
import { measureLayout } from '../transform/measure.ts';
import type { Say } from '../../words/say.ts';
import { changeEnd } from './change-end.ts';
import type { CommandGround } from './command-ground.ts';
import { inactiveText, blockLine, blockNumber } from './name-blocks.ts';

/** A prompt over this share of the window would be condensed again at once. */
const mostShare = 0.85;

/** /dcp decompress [n|bN]: what a block hides is shown in full again; blocks that it took in come back as blocks. */
export function decompress(ground: CommandGround, argument: string): EngineCommandEnd {
  const { say } = ground;
  const { state } = ground.desk;
  const activity = blockActivity(state, { rows: ground.view.rows, isWhole: true });
  const active = activeBlocks(state, activity);
  if (argument.trim() === '') return { text: listText(active, say) };
  const number = blockNumber(argument);
  const block = state.blocks.find((one) => one.number === number);
  if (!block) {
    const name = JSON.stringify(argument.trim());
    return { text: `${say('dcpNoBlock', { name })}\n${listText(active, say)}` };
  }
  const now = activity.get(block.number)!;
  if (now === 'active') return showInFull(ground, groupOf(block, active));
  const parent =
    now === 'consumed' ? active.find((one) => holds(one, block.number, state.blocks)) : undefined;
  const first = parent ? say('dcpFirst', { block: formatBlockRef(parent.number) }) : '';
  return { text: inactiveText(now, { block: formatBlockRef(block.number), first, say }) };
}

/** Refused with the figure where the prompt would be condensed again at once. */
function showInFull(ground: CommandGround, group: readonly DcpBlock[]): EngineCommandEnd {
  const { desk, model, say } = ground;
  const statuses = group.map((one) => ({ block: one.number, status: 'user_off' as const }));
  const names = group.map((one) => formatBlockRef(one.number));
  const named = names.join(', ');
  const { moreTokens, wholeTokens } = sizeWith(ground, statuses);
  if (wholeTokens > model.windowTokens * mostShare)
    return {
      text: say('dcpTooMuch', {
        blocks: named,
        tokens: say.number(Math.round(wholeTokens)),
        window: say.number(model.windowTokens),
      }),
    };
  return changeEnd(
    desk,
    say('dcpInFull', {
      blocks: named,
      tokens: say.number(Math.round(moreTokens)),
      number: group[0]!.number,
    }),
    { statuses, events: [{ kind: 'decompress', detail: { blocks: names } }] },
  );
}

/** What the prompt would weigh, and how much of that is new. */
function sizeWith(
  { desk, view }: CommandGround,
  statuses: NonNullable<DcpChange['statuses']>,
): { moreTokens: number; wholeTokens: number } {
  const { lastPromptTokens, estimateRatio } = view.session;
  const after = applyChange(desk.state, { baseVersion: desk.state.version, statuses });
  const { tokens } = measureLayout(layOut(after, view.rows), after, desk.config);
  const moreTokens = (tokens - desk.measure(view).tokens) * estimateRatio;
  const wholeTokens = lastPromptTokens > 0 ? lastPromptTokens + moreTokens : tokens * estimateRatio;
  return { moreTokens, wholeTokens };
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

function listText(active: readonly DcpBlock[], say: Say): string {
  if (active.length === 0) return say('dcpNothingCondensed');
  return [say('dcpListed'), ...active.map((block) => blockLine(block, say))].join('\n');
}
