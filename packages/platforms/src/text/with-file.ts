import type { PartContent } from '@palimpsest/core';

/** A wall of messages is hard to read and to keep: more than this many become one and a file. */
export const usualFileOverParts = 5;

/** The first part and a file of the whole Markdown in place of more than `over` parts; 0: as they are. */
export function withFile(
  parts: readonly PartContent[],
  {
    text,
    over,
    caption = 'This is only the beginning. The whole answer is in the file.',
  }: { text: string; over: number; caption?: string },
): readonly PartContent[] {
  if (over === 0 || parts.length <= over) return parts;
  const file: PartContent = {
    text,
    form: { kind: 'file', name: 'answer.md', caption },
  };
  return [...parts.slice(0, 1), file];
}
