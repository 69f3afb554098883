import type { DcpMark, EngineCommandEnd, RowHeader } from '@palimpsest/core';
import { shownTexts } from '../emergency/free-marks.ts';
import { markOf } from '../strategies/compute-marks.ts';
import { listCalls, type SeenCall } from '../strategies/list-calls.ts';
import { isProtectedCall } from '../strategies/protected-call.ts';
import { shownRowIds } from '../transform/lay-out.ts';
import { changeEnd, counted, inWords } from './change-end.ts';
import type { CommandGround } from './command-ground.ts';

/** /dcp sweep [n]: outputs of the calls since the person's last message, or of the last n, leave the prompt. */
export async function sweep({ desk, view }: CommandGround, argument: string): Promise<EngineCommandEnd> {
  const wished = argument.trim();
  const count = /^[1-9]\d{0,5}$/.test(wished) ? Number(wished) : null;
  if (wished !== '' && count === null) return { text: 'Say how many calls, as in /dcp sweep 5.' };
  const { layout } = desk.look(view);
  const bodies = await view.bodies(shownRowIds(layout));
  const calls = listCalls(shownTexts(layout, bodies)).filter(({ result }) => result !== null);
  const chosen = count === null ? sincePerson(calls, view.rows) : calls.slice(-count);
  const { marks, skipped } = sweepMarks(desk, chosen);
  if (marks.length === 0) return { text: `There is no tool output to clear.${skipped}` };
  const tokens = marks.reduce((sum, mark) => sum + mark.tokens, 0);
  const cleared = `Cleared the output of ${counted(marks.length, 'tool call')}, about ${inWords(tokens)} tokens.`;
  return changeEnd(desk, `${cleared}${skipped}`, {
    marks,
    counts: { sweeps: 1 },
    events: [{ kind: 'sweep', detail: { calls: marks.length, tokens } }],
  });
}

function sweepMarks(
  { state, config }: CommandGround['desk'],
  chosen: readonly SeenCall[],
): { marks: readonly DcpMark[]; skipped: string } {
  const isMarked = new Set(state.marks.map((mark) => `${mark.unitId} ${mark.callId}`));
  const protection = { tools: config.commands.protectedTools, files: config.protectedFilePatterns };
  const open = chosen.filter(({ unitId, call }) => !isMarked.has(`${unitId} ${call.id}`));
  const free = open.filter(({ call }) => !isProtectedCall(call, protection));
  const marks = free.flatMap((call) => markOf(call, 'sweep') ?? []);
  const skipped = skipText({
    before: chosen.length - open.length,
    protectedCalls: open.length - free.length,
    small: free.length - marks.length,
  });
  return { marks, skipped };
}

/** Calls behind the newest message of the person. */
function sincePerson(calls: readonly SeenCall[], rows: readonly RowHeader[]): readonly SeenCall[] {
  const last = rows.findLastIndex((row) => row.kind === 'person');
  const after = new Set(rows.slice(last + 1).map((row) => row.id));
  return calls.filter(({ unitId }) => after.has(unitId));
}

function skipText(skipped: { before: number; protectedCalls: number; small: number }): string {
  const reasons = [
    skipped.before > 0 ? `${skipped.before} cleared before` : '',
    skipped.protectedCalls > 0 ? `${skipped.protectedCalls} protected` : '',
    skipped.small > 0 ? `${skipped.small} too small to matter` : '',
  ].filter((reason) => reason !== '');
  return reasons.length === 0 ? '' : ` Left alone: ${reasons.join(', ')}.`;
}
