import type { LcmTelemetry, Usage } from '@palimpsest/core';

export type CacheState = LcmTelemetry['cacheState'];

export interface CacheRules {
  ttlMs: number;
  coldObservations: number;
}

/** Below this share of the prompt a read is what the system text alone gives. */
const leastReadShare = 0.2;
/** After a hit so many misses in a row are noise. */
const missesForgiven = 2;

/** Nothing is known of a model that the session has not used yet. */
export function unknownCache(provider: string, model: string): LcmTelemetry {
  return {
    provider,
    model,
    cacheState: 'unknown',
    lastReadAt: null,
    lastWriteAt: null,
    lastBreakAt: null,
    coldObservations: 0,
    turnsSinceLeaf: 0,
    tokensSinceLeaf: 0,
  };
}

/** What one answer says about the cache. An answer without any count says nothing. */
export function observeCache(
  before: LcmTelemetry,
  usage: Usage,
  { now, rules }: { now: Date; rules: CacheRules },
): LcmTelemetry {
  const grown = {
    ...before,
    turnsSinceLeaf: before.turnsSinceLeaf + 1,
    tokensSinceLeaf: before.tokensSinceLeaf + usage.outputTokens,
  };
  if (usage.promptTokens === 0) return grown;
  const isRead = usage.cacheReadTokens >= usage.promptTokens * leastReadShare;
  const isWritten = usage.cacheWriteTokens > 0;
  if (isRead || isWritten)
    return {
      ...grown,
      cacheState: 'hot',
      lastReadAt: usage.cacheReadTokens > 0 ? now : before.lastReadAt,
      lastWriteAt: isWritten ? now : before.lastWriteAt,
      coldObservations: 0,
    };
  const coldObservations = before.coldObservations + 1;
  const isCold =
    coldObservations > missesForgiven ||
    coldObservations >= rules.coldObservations ||
    before.cacheState !== 'hot';
  return { ...grown, cacheState: isCold ? 'cold' : 'hot', coldObservations };
}

/** The context was changed: what was cached behind the change is gone. */
export function breakCache(before: LcmTelemetry, now: Date): LcmTelemetry {
  return { ...before, cacheState: 'cold', lastBreakAt: now, turnsSinceLeaf: 0, tokensSinceLeaf: 0 };
}

/** The state that counts now: a hit that is too old, or older than a break, is none. */
export function cacheNow(telemetry: LcmTelemetry | null, now: Date, rules: CacheRules): CacheState {
  if (!telemetry || telemetry.cacheState !== 'hot') return telemetry?.cacheState ?? 'unknown';
  const hit = lastHit(telemetry);
  if (hit === null) return 'unknown';
  if (telemetry.lastBreakAt !== null && telemetry.lastBreakAt.getTime() > hit) return 'cold';
  if (telemetry.coldObservations >= rules.coldObservations) return 'cold';
  return now.getTime() - hit < rules.ttlMs ? 'hot' : 'cold';
}

/** Until the cache has run out by itself, ms; 0 when it has. */
export function cacheRestMs(telemetry: LcmTelemetry | null, now: Date, rules: CacheRules): number {
  if (cacheNow(telemetry, now, rules) !== 'hot' || !telemetry) return 0;
  return Math.max(0, lastHit(telemetry)! + rules.ttlMs - now.getTime());
}

function lastHit({ lastReadAt, lastWriteAt }: LcmTelemetry): number | null {
  if (!lastReadAt && !lastWriteAt) return null;
  return Math.max(lastReadAt?.getTime() ?? 0, lastWriteAt?.getTime() ?? 0);
}
