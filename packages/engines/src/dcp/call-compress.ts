import type { Clock, EngineCallEnd, ToolCall, ToolScope, TranscriptView } from '@palimpsest/core';
import { compressPlan } from './compress/compress-plan.ts';
import { runCompress } from './compress/run-compress.ts';
import { compressToolName } from './compress/tool-schema.ts';
import { nudgeAfterAttempt } from './nudges/decide-nudge.ts';
import type { DcpDesk } from './state/desk.ts';
import { layOut, shownRows } from './transform/lay-out.ts';

export interface CompressUse {
  call: ToolCall;
  scope: ToolScope;
  view: TranscriptView;
  windowTokens: number;
  clock: Clock;
}

/** A call of the engine's tool: what it changes goes with the round as a plan; a failed one only tells the cadence. */
export async function callCompress(
  desk: DcpDesk,
  { call, scope, view, windowTokens, clock }: CompressUse,
): Promise<EngineCallEnd> {
  if (call.name !== compressToolName) {
    const text = JSON.stringify({ error: `the context engine has no tool ${JSON.stringify(call.name)}` });
    return { result: { text, isError: true } };
  }
  const startedAt = clock.now().getTime();
  const { config } = desk;
  const { state, refs } = desk.withRefs(view);
  const before = desk.measure(view);
  const { result, change, written } = await runCompress({
    call,
    turnId: scope.turnId,
    view,
    state,
    config,
    windowTokens,
    elapsedMs: () => clock.now().getTime() - startedAt,
  });
  if (!change) return { result };
  const nudge = nudgeAfterAttempt(state.nudge, written !== null, config);
  if (!written) {
    const { baseVersion: _now, ...failed } = change;
    return { result, stateChange: { engine: 'dcp', json: desk.noteCall({ ...failed, nudge }) } };
  }
  const whole = { ...change, ...(refs.length > 0 ? { refs } : {}), nudge };
  desk.apply(whole);
  // The round that holds the call is not stored yet.
  const rowsAfter = shownRows(layOut(desk.state, view.rows, scope.turnId));
  const stored = desk.takeAlong(whole);
  return { result, plan: compressPlan(view, { change: stored, written, config }, { ...before, rowsAfter }) };
}
