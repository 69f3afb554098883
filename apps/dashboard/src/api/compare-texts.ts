import { diffLines } from 'diff';

/** Lines that follow one another and have the same fate. `text` null: so many lines stayed, and stand elsewhere. */
export interface ChangedLines {
  fate: 'added' | 'removed' | 'kept';
  lines: number;
  text: string | null;
}

/** Lines that stayed are told with the change that they stand beside, and no further. */
const shownAround = 2;

/** What became of a text, line by line, in order. */
export function compareTexts(former: string, text: string): readonly ChangedLines[] {
  const changes = diffLines(former, text, { stripTrailingCr: true, ignoreNewlineAtEof: true });
  return changes.flatMap(({ added, removed, value }, index): ChangedLines[] => {
    const lines = value.replace(/\n$/, '').split('\n');
    if (added || removed)
      return [{ fate: added ? 'added' : 'removed', lines: lines.length, text: lines.join('\n') }];
    return around(lines, { isFirst: index === 0, isLast: index === changes.length - 1 });
  });
}

function around(lines: readonly string[], at: { isFirst: boolean; isLast: boolean }): ChangedLines[] {
  const before = at.isFirst ? 0 : shownAround;
  const after = at.isLast ? 0 : shownAround;
  const hidden = lines.length - before - after;
  // A mark would take no less room than the line it stands for.
  if (hidden <= 1 && before + after > 0) return [keptLines(lines)];
  const skipped: ChangedLines = { fate: 'kept', lines: hidden, text: null };
  return [keptLines(lines.slice(0, before)), skipped, keptLines(lines.slice(lines.length - after))].filter(
    (one) => one.lines > 0,
  );
}

function keptLines(lines: readonly string[]): ChangedLines {
  return { fate: 'kept', lines: lines.length, text: lines.join('\n') };
}
