import { isRecord } from './response-item.ts';

/**
 * Until when a subscription's limit holds, ms from now; null when the answer does not say.
 * `resets_at` is in epoch seconds; `resets_in_seconds` stands beside it on some answers.
 */
export function resetsAfterMs(thrown: unknown, now: Date): number | null {
  let body: unknown = isRecord(thrown) ? thrown['error'] : undefined;
  while (isRecord(body) && isRecord(body['error'])) body = body['error'];
  if (!isRecord(body)) return null;
  const { resets_at: at, resets_in_seconds: seconds } = body;
  if (typeof at === 'number') return Math.max(0, at * 1000 - now.getTime());
  return typeof seconds === 'number' ? Math.max(0, seconds * 1000) : null;
}
