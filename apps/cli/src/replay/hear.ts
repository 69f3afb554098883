import type { Counterpart } from './counterpart.ts';
import { wordsOf } from './words-of.ts';

/**
 * Wait until the bot has sent `text` (marks of Markdown and white space aside) at or after position `from`.
 * Returns the position behind it, or null when `timeoutMs` went by.
 */
export function hear(
  counterpart: Counterpart,
  wanted: { text: string; from: number; timeoutMs: number },
): Promise<number | null> {
  const words = wordsOf(wanted.text);
  const find = (): number =>
    counterpart.heard().findIndex((text, index) => index >= wanted.from && wordsOf(text) === words);
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
