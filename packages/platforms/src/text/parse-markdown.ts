/** Reads Markdown as models write it: GitHub's dialect, without indented code and without HTML. */
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { Root } from 'mdast';

/** Longer texts go out as they are; 40,000 units of prose take 40 ms. */
const longestMarkdown = 40_000;
/** Runs of asterisks and the like in one paragraph; the time of the parser grows with the square of them, 60 ms here. */
const mostRuns = 1_000;
/** More quotes and lists in each other than people write, on one line. */
const tooDeep = /^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){12}/m;

// Indented text is far more often a poem or an address than code. Tags of HTML stay to be seen as they are. One tilde
// means "about", not "crossed out".
const extensions = [
  gfm({ singleTilde: false }),
  { disable: { null: ['codeIndented', 'htmlFlow', 'htmlText'] } },
];
const mdastExtensions = [gfmFromMarkdown()];

/** The tree of a text; null when it would take too long to read. Positions are UTF-16 units of `source`. */
export function parseMarkdown(source: string): Root | null {
  if (source.length > longestMarkdown || tooDeep.test(source) || hasTooManyRuns(source)) return null;
  return fromMarkdown(source, { extensions, mdastExtensions });
}

function hasTooManyRuns(source: string): boolean {
  return source.split(/\n[ \t]*\n/).some((paragraph) => (paragraph.match(/[*_~]+/g)?.length ?? 0) > mostRuns);
}
