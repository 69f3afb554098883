import { estimatePart, type DcpMark, type DcpMarkReason, type DcpState } from '@palimpsest/core';
import type { DcpConfig } from '../compress/ground.ts';
import { compressToolName } from '../compress/tool-schema.ts';
import { listCalls, type SeenCall, type UnitTexts } from './list-calls.ts';
import { markedPart } from './marked-parts.ts';
import { isProtectedCall } from './protected-call.ts';
import { signatureOf } from './signature.ts';

/** A mark costs a re-read of the prompt behind it; one that saves less than this is not worth it. */
const leastSavedTokens = 20;

/**
 * Marks that the automatic strategies set now: older repeats of a call, inputs of old failed calls. To be called when old
 * content changes anyway: at a compress call, in hygiene and in an emergency; marks are sticky, so the order of calls
 * does not matter. Those that are there already do not come again.
 * units   the units that no block hides, seq order, with their texts; the newest last
 * returns marks with run 0; none in manual mode where the config says so
 */
export function computeMarks(
  state: DcpState,
  units: readonly UnitTexts[],
  config: DcpConfig,
): readonly DcpMark[] {
  if (state.manualMode && !config.manualMode.automaticStrategies) return [];
  const calls = openCalls(state, listCalls(units), config);
  return [...repeats(calls, config), ...failedInputs(calls, config)];
}

/** One mark on a call, or null where it would save next to nothing. */
export function markOf({ unitId, call, result }: SeenCall, reason: DcpMarkReason): DcpMark | null {
  const parts = result ? [call, result] : [call];
  const tokens = parts.reduce(
    (sum, part) => sum + estimatePart(part) - estimatePart(markedPart(part, reason)),
    0,
  );
  return tokens < leastSavedTokens ? null : { unitId, callId: call.id, reason, run: 0, tokens };
}

/** Calls that may be marked at all, oldest first. Recent ones stay in: they decide which repeat is the newest. */
export function openCalls(
  state: DcpState,
  calls: readonly SeenCall[],
  config: DcpConfig,
): readonly SeenCall[] {
  const marked = new Set(state.marks.map((mark) => `${mark.unitId} ${mark.callId}`));
  const protection = { tools: config.commands.protectedTools, files: config.protectedFilePatterns };
  return calls.filter(
    ({ unitId, call }) =>
      // Its output tells the model what it did, its input is stubbed anyway.
      call.name !== compressToolName &&
      !marked.has(`${unitId} ${call.id}`) &&
      !isProtectedCall(call, protection),
  );
}

function isRecent({ turnsSince }: SeenCall, { turnProtection }: DcpConfig): boolean {
  return turnProtection.enabled && turnsSince < turnProtection.turns;
}

function repeats(calls: readonly SeenCall[], config: DcpConfig): readonly DcpMark[] {
  const { enabled, protectedTools } = config.strategies.deduplication;
  if (!enabled) return [];
  const seen = new Set<string>();
  const older: SeenCall[] = [];
  for (const entry of calls.toReversed()) {
    const { call, result } = entry;
    if (!result || result.isError) continue;
    const signature = signatureOf(call.name, call.arguments);
    if (seen.has(signature)) older.push(entry);
    seen.add(signature);
  }
  return marksOf(older.toReversed(), 'duplicate', { config, protectedTools });
}

function failedInputs(calls: readonly SeenCall[], config: DcpConfig): readonly DcpMark[] {
  const { enabled, protectedTools, turns } = config.strategies.purgeErrors;
  if (!enabled) return [];
  const old = calls.filter(({ result, stepsSince }) => result?.isError && stepsSince >= Math.max(1, turns));
  return marksOf(old, 'error_input', { config, protectedTools });
}

function marksOf(
  calls: readonly SeenCall[],
  reason: DcpMarkReason,
  { config, protectedTools }: { config: DcpConfig; protectedTools: readonly string[] },
): readonly DcpMark[] {
  return calls.flatMap((entry) => {
    if (isRecent(entry, config) || isProtectedCall(entry.call, { tools: protectedTools, files: [] }))
      return [];
    const mark = markOf(entry, reason);
    return mark ? [mark] : [];
  });
}
