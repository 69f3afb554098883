import { textOfParts, type Part } from '@palimpsest/core';

/** The requirements' text in the place of old tool output. */
export const clearedToolOutput = '[Old tool output cleared to save context space]';

/** Results up to this many characters stay as they are. */
export const shortResultChars = 200;

/** True for a tool result that is long enough to be cleared outside the tail. */
export function isLongResult(parts: readonly Part[]): boolean {
  return textOfParts(parts).length > shortResultChars;
}

/** The same result with its text cleared: call id, name and error flag stay, large contents beside it are let go. */
export function clearResult(parts: readonly Part[]): readonly Part[] {
  const results = parts.filter((part) => part.type === 'tool_result');
  return results.map((result) => ({ ...result, text: clearedToolOutput }));
}
