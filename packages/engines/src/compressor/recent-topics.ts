import { textOfParts, type RowHeader } from '@palimpsest/core';
import { redact } from './redact.ts';
import { isPerson } from './row-kinds.ts';
import { splitMerged } from './summary-text.ts';
import type { BodyOf } from './tool-rounds.ts';

/** The newest messages of the person are the focus when nobody named one. */
const messages = 3;
const messageChars = 260;
const allChars = 700;

/** What the person said last, redacted, oldest first: the automatic focus where nobody named one. */
export function recentTopics(rows: readonly RowHeader[], bodyOf: BodyOf): string {
  const said: string[] = [];
  for (let index = rows.length - 1; index >= 0 && said.length < messages; index--) {
    if (!isPerson(rows[index]!)) continue;
    const parts = splitMerged(bodyOf(rows[index]!)).content.filter((part) => part.type === 'text');
    // Masked before it is cut: half a key is not known as one.
    const text = redact(textOfParts(parts).slice(0, messageChars * 8))
      .replace(/\s+/g, ' ')
      .trim();
    if (text !== '') said.unshift(text.slice(0, messageChars).toWellFormed());
  }
  return said.join(' | ').slice(0, allChars).toWellFormed();
}
