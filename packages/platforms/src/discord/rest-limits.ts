/** Which waits for Discord's rate limits are sat out inside a request, and which are handed to the caller. */
import type { RateLimitData, RateLimitError } from 'discord.js';

/** Longer waits go back to the outbox, which holds the whole chat or account back and survives a restart. */
const longestQuietWaitMs = 1_000;

/** A 429 without Retry-After comes from the firewall in front of Discord; it bans an address for about an hour. */
const banWaitMs = 15 * 60_000;

/** For `rejectOnRateLimit` of the sender: true = throw RateLimitError instead of waiting. */
export function refuseLongWaits(limit: RateLimitData): boolean {
  return isBan(limit) || waitOf(limit) > longestQuietWaitMs;
}

/** For `rejectOnRateLimit` of the listener: it has the time to wait, except when every repeat makes a ban longer. */
export function refuseBans(limit: RateLimitData): boolean {
  return isBan(limit);
}

/** How long to wait, and whether only this chat or the whole account is held back. */
export function limitOf(error: RateLimitError): { waitMs: number; scope: 'chat' | 'account' } {
  if (isBan(error)) return { waitMs: banWaitMs, scope: 'account' };
  const scope = error.global || error.scope === 'global' ? 'account' : 'chat';
  return { waitMs: waitOf(error), scope };
}

// The library repeats such a request at once and for ever, because it reads "0 ms" from the missing header.
function isBan(limit: RateLimitData): boolean {
  return limit.retryAfter === 0;
}

function waitOf(limit: RateLimitData): number {
  return Math.ceil(Math.max(limit.timeToReset, limit.sublimitTimeout, limit.retryAfter));
}
