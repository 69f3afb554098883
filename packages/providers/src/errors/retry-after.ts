/**
 * How long the server asks to wait, ms; null when it does not say. `retry-after-ms` wins over `retry-after`
 * (seconds, or a date).
 */
export function retryAfterMs(header: (name: string) => string | null, now: Date): number | null {
  const ms = Number.parseFloat(header('retry-after-ms') ?? '');
  if (Number.isFinite(ms) && ms >= 0) return Math.ceil(ms);
  const text = header('retry-after');
  if (text === null || text.trim() === '') return null;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.ceil(seconds * 1000) : null;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}
