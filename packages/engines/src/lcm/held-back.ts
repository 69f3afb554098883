import type { CompressRequest, LcmState, NoPlan, TranscriptView } from '@palimpsest/core';
import { isFailureRest, isStructuralRest } from '../compressor/rests.ts';
import { noPlan } from './build-plan.ts';
import { matchesPattern } from './session-pattern.ts';
import type { CompressGround } from './compress-ground.ts';

/** Why nothing is tried now; null where something is. Below the hard limit every rest is kept. */
export function heldBack(
  { session }: TranscriptView,
  request: CompressRequest,
  { sizes, config, state, help }: Pick<CompressGround, 'sizes' | 'config' | 'state' | 'help'>,
): NoPlan | null {
  if (isReadOnly(session.id, config.context.lcm) && request.layer !== 'overflow' && !request.force)
    return noPlan('skipped', 'none', 'context.lcm names this session among those that write no summaries');
  if (request.force || request.mode !== 'full' || request.promptTokens >= sizes.hardLimitTokens) return null;
  const now = help.clock.now();
  if (isFailureRest(session, now))
    return noPlan('skipped', 'cooldown', 'a summary failed lately; the rest before the next one is not over');
  if (request.layer !== 'hygiene' && isStructuralRest(session, now))
    return noPlan('skipped', 'cooldown', 'there was nothing to take out lately');
  if (request.layer === 'background' && isBackingOff(state))
    return noPlan('skipped', 'cooldown', 'the debt of this session rests after a failure');
  return null;
}

/** Ignored sessions, and those that only read what others wrote. */
function isReadOnly(sessionId: string, config: CompressGround['config']['context']['lcm']): boolean {
  if (matchesPattern(sessionId, config.ignore_session_patterns)) return true;
  return config.skip_stateless_sessions && matchesPattern(sessionId, config.stateless_session_patterns);
}

function isBackingOff({ debt, now }: LcmState): boolean {
  return debt?.pending === true && debt.nextAttemptAfter !== null && debt.nextAttemptAfter > now;
}
