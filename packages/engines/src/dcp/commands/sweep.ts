import type { DcpMark, EngineCommandEnd, RowHeader } from '@palimpsest/core';
import { shownTexts } from '../emergency/free-marks.ts';
import { markOf } from '../strategies/compute-marks.ts';
import { listCalls, type SeenCall } from '../strategies/list-calls.ts';
import { isProtectedCall } from '../strategies/protected-call.ts';
import { shownRowIds } from '../transform/lay-out.ts';
import type { Say } from '../../words/say.ts';
import { changeEnd } from './change-end.ts';
import type { CommandGround } from './command-ground.ts';

/** /dcp sweep [n]: outputs of the calls since the person's last message, or of the last n, leave the prompt. */
export async function sweep({ desk, view, say }: CommandGround, argument: string): Promise<EngineCommandEnd> {
  const wished = argument.trim();
  const count = /^[1-9]\d{0,5}$/.test(wished) ? Number(wished) : null;
  if (wished !== '' && count === null) return { text: say('dcpSweepHow') };
  const { layout } = desk.look(view);
  const bodies = await view.bodies(shownRowIds(layout));
  const calls = listCalls(shownTexts(layout, bodies)).filter(({ result }) => result !== null);
  const chosen = count === null ? sincePerson(calls, view.rows) : calls.slice(-count);
  const { marks, skipped } = sweepMarks({ desk, say }, chosen);
  if (marks.length === 0) return { text: say('dcpNothingToClear', { skipped }) };
  const tokens = marks.reduce((sum, mark) => sum + mark.tokens, 0);
  const outputs = say.counted(marks.length, 'output');
  return changeEnd(desk, say('dcpSwept', { outputs, tokens: say.number(tokens), skipped }), {
    marks,
    counts: { sweeps: 1 },
    events: [{ kind: 'sweep', detail: { calls: marks.length, tokens } }],
  });
}

function sweepMarks(
  { desk, say }: Pick<CommandGround, 'desk' | 'say'>,
  chosen: readonly SeenCall[],
): { marks: readonly DcpMark[]; skipped: string } {
  const { state, config } = desk;
  const isMarked = new Set(state.marks.map((mark) => `${mark.unitId} ${mark.callId}`));
  const protection = { tools: config.commands.protectedTools, files: config.protectedFilePatterns };
  const open = chosen.filter(({ unitId, call }) => !isMarked.has(`${unitId} ${call.id}`));
  const free = open.filter(({ call }) => !isProtectedCall(call, protection));
  const marks = free.flatMap((call) => markOf(call, 'sweep') ?? []);
  const counts = {
    before: chosen.length - open.length,
    protectedCalls: open.length - free.length,
    small: free.length - marks.length,
  };
  const skipped = skipText(counts, say);
  return { marks, skipped };
}

/** Calls behind the newest message of the person. */
function sincePerson(calls: readonly SeenCall[], rows: readonly RowHeader[]): readonly SeenCall[] {
  const last = rows.findLastIndex((row) => row.kind === 'person');
  const after = new Set(rows.slice(last + 1).map((row) => row.id));
  return calls.filter(({ unitId }) => after.has(unitId));
}

function skipText(skipped: { before: number; protectedCalls: number; small: number }, say: Say): string {
  const reasons = [
    skipped.before > 0 ? say('dcpClearedBefore', { count: skipped.before }) : '',
    skipped.protectedCalls > 0 ? say('dcpProtected', { count: skipped.protectedCalls }) : '',
    skipped.small > 0 ? say('dcpTooSmall', { count: skipped.small }) : '',
  ].filter((reason) => reason !== '');
  return reasons.length === 0 ? '' : say('dcpLeftAlone', { reasons: reasons.join(', ') });
}
