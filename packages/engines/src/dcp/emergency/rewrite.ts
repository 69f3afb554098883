import type { CompactionPlan, NoPlan } from '@palimpsest/core';
import { layOut, shownRowIds, shownRows, type DcpLayout, type ShownItem } from '../transform/lay-out.ts';
import { measureLayout } from '../transform/measure.ts';
import { summaryRow } from './archive-plan.ts';
import { keptUnits } from './kept-units.ts';
import { scaleOf, summaryTokensOf, type RoomGround, type RoomHelp } from './room-ground.ts';
import { noCost, noRoom } from './room-plan.ts';
import { bodyFromModel, bodyWithoutModel, type BodyWish, type WrittenBody } from './write-body.ts';

/** What one summary of everything may take beside what a block of the service takes. */
const summaryFactor = 2;

interface Written {
  made: WrittenBody;
  cost: typeof noCost;
}

/**
 * The way that an operator has to ask for: everything before the tail is archived, one summary row takes its place, and
 * refs, marks and blocks begin anew. A failed summariser leaves the transcript as it is, unless no model was to be asked.
 */
export async function rewrite(ground: RoomGround, help: RoomHelp): Promise<CompactionPlan | NoPlan> {
  const { view, request, state, config } = ground;
  const layout = layOut(state, view.rows);
  const sizes = measureLayout(layout, state, config);
  const windowTokens = request.budget.windowTokens;
  const keeps = keptUnits({ state, config, view, windowTokens }, 'configured');
  const end = layout.items.findIndex((item) => item.kind === 'unit' && keeps.has(item.unit.id));
  const leaving = layout.items.slice(0, Math.max(0, end));
  if (!leaving.some(isContent))
    return noRoom('noop', 'protected_only', 'there is nothing before the newest messages');
  const wish: BodyWish = {
    items: leaving,
    spanTokens: sizes.items.slice(0, leaving.length).reduce((sum, tokens) => sum + tokens, 0),
    bodies: await view.bodies(shownRowIds({ items: leaving })),
    blocks: layout.blocks,
    targetTokens: summaryTokensOf(ground) * summaryFactor,
    focus: request.focus ?? '',
    scale: scaleOf(ground, sizes),
  };
  const written = await writeOne(ground, help, wish);
  return 'kind' in written ? written : rewritePlan(ground, { layout, wish, written, help });
}

function rewritePlan(
  ground: RoomGround,
  made: { layout: DcpLayout; wish: BodyWish; written: Written; help: RoomHelp },
): CompactionPlan | NoPlan {
  const { request } = ground;
  const { layout, wish, written } = made;
  const archive = wish.items.flatMap(rowsOf);
  const row = summaryRow(written.made.body, archive.at(-1)!);
  const saved = (wish.spanTokens - row.tokens) * wish.scale;
  if (saved <= 0)
    return noRoom('ineffective', 'none', 'a summary would not be smaller than what it stands for');
  const rowsBefore = shownRows(layout);
  const rowsProtected = rowsBefore - shownRows(wish);
  const tokensAfter = Math.max(request.budget.overheadTokens, Math.round(request.promptTokens - saved));
  return {
    kind: 'plan',
    outcome: written.made.outcome,
    reason: 'none',
    archive,
    write: [row],
    state: { engine: 'dcp', json: resetChange(ground, archive.length, tokensAfter) },
    summaryModel: request.mode === 'full' ? made.help.summariser.model : null,
    figures: {
      tokensBefore: request.promptTokens,
      tokensBeforeSource: request.promptTokensSource,
      tokensAfter,
      rowsBefore,
      rowsAfter: rowsProtected + 1,
      rowsArchived: archive.length,
      rowsProtected,
      rowsDroppedWithoutSummary: written.made.rowsDroppedWithoutSummary,
      toolResultsPruned: 0,
      summaryTokens: row.tokens,
      summaryCalls: written.cost.calls,
      summaryInputTokens: written.cost.inputTokens,
      summaryOutputTokens: written.cost.outputTokens,
      escalation: written.made.escalation,
    },
  };
}

function isContent(item: ShownItem): boolean {
  return item.kind === 'block' || item.unit.isNumbered;
}

function rowsOf(item: ShownItem): readonly number[] {
  const units = item.kind === 'block' ? item.units : [item.unit];
  return units.flatMap((unit) => unit.rows.map((row) => row.id));
}

function resetChange({ state, request }: RoomGround, rowsArchived: number, tokensAfter: number) {
  const detail = { how: 'rewrite', rowsArchived, tokensBefore: request.promptTokens, tokensAfter };
  return { baseVersion: state.version, reset: true, events: [{ kind: 'reset', detail }] };
}

async function writeOne(ground: RoomGround, help: RoomHelp, wish: BodyWish): Promise<Written | NoPlan> {
  if (ground.request.mode !== 'full') return { made: bodyWithoutModel(wish), cost: noCost };
  const body = await bodyFromModel(wish, help);
  if (body.kind === 'text') return { made: body.made, cost: body.cost };
  const { reason, cooldownMs, cost, message } = body;
  const bill = { summaryModel: help.summariser.model, summaryCalls: cost.calls };
  if (help.signal.aborted)
    return { ...noRoom('aborted', 'user_cancelled', 'stopped while the summary was written'), ...bill };
  return { ...noRoom('failed', reason, message), ...bill, cooldownMs };
}
