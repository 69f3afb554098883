import { objectsOf, textOf } from '../json.ts';

/** The plain text of a string or of the text parts in a list. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsOf(content)
    .map((part) => textOf(part['text']))
    .filter((text) => text !== '')
    .join('\n');
}
