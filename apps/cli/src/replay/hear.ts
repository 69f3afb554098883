import type { Counterpart } from './counterpart.ts';

/**
 * Wait until the bot has sent `text` (white space at both ends aside) at or after position `from`.
 * Returns the position behind it, or null when `timeoutMs` went by.
 */
export function hear(
  counterpart: Counterpart,
  wanted: { text: string; from: number; timeoutMs: number },
): Promise<number | null> {
  const find = (): number =>
    counterpart
      .heard()
      .findIndex((text, index) => index >= wanted.from && text.trim() === wanted.text.trim());
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), wanted.timeoutMs);
    const look = (): void => {
      const index = find();
      if (index === -1) return;
      clearTimeout(timer);
      resolve(index + 1);
    };
    counterpart.onHeard(look);
    look();
  });
}
