/** Markdown → tree → text with spans: blocks. */
import type {
  BlockContent,
  Definition,
  DefinitionContent,
  List,
  ListItem,
  Nodes,
  Root,
  RootContent,
  Table,
} from 'mdast';
import { drawTable } from './draw-table.ts';
import { isLinkable } from './linkable.ts';
import { parseMarkdown } from './parse-markdown.ts';
import { renderInlines, type Rendering } from './render-inlines.ts';
import { plainText, type StyledText } from './styled-text.ts';
import { TextBuilder } from './text-builder.ts';

type Block = RootContent | BlockContent | DefinitionContent;

/** Lists deeper than this are not moved in further: a phone has no room for it. */
const deepestIndent = 6;
const rule = '———';

/**
 * What people should see of a Markdown text.
 *
 * Nothing but the marks of Markdown is left out; text without any comes back as it is, to the last space. Bullets become
 * "•", tables aligned monospaced blocks, task lists "☐" and "☑", rules "———". A text too long or too deep to be read as
 * Markdown, or of which nothing would be left to see, comes back as it is. Equal texts give equal results.
 */
export function renderMarkdown(source: string): StyledText {
  try {
    const root = parseMarkdown(source);
    const rendered = root === null ? plainText(source) : renderTree(root, source);
    return /[^\s\p{Cc}\p{Cf}]/u.test(rendered.text) ? rendered : plainText(source);
  } catch (problem) {
    // Thousands of blocks in each other overrun the stack.
    if (problem instanceof RangeError) return plainText(source);
    throw problem;
  }
}

function renderTree(root: Root, source: string): StyledText {
  const out = new TextBuilder();
  renderRoot(root, { source, out, definitions: definitionsOf(root), isTop: true });
  return out.build();
}

/** Addresses that stand apart from the words they belong to. One that makes no link is shown where it stands. */
function definitionsOf(root: Root): ReadonlyMap<string, Definition> {
  const found = new Map<string, Definition>();
  const used = new Set<string>();
  const walk = (node: Nodes): void => {
    if (node.type === 'definition' && !found.has(node.identifier)) found.set(node.identifier, node);
    if (node.type === 'linkReference' || node.type === 'imageReference') used.add(node.identifier);
    if ('children' in node) node.children.forEach(walk);
  };
  walk(root);
  return new Map([...found].filter(([name, { url }]) => used.has(name) && isLinkable(url)));
}

/** White space before, between and behind blocks stays as it was written; a definition is not shown and leaves none. */
function renderRoot(root: Root, rendering: Rendering): void {
  const { source, out } = rendering;
  const blocks = root.children.filter((block) => isShown(block, rendering));
  let end = 0;
  for (const [index, block] of blocks.entries()) {
    const gap = source.slice(end, startOf(block));
    if (index === 0) out.writeRaw(gap.trim() === '' ? kept(gap, block) : '');
    else out.writeRaw(gap.trim() === '' ? kept(gap, block) : '\n\n');
    renderBlock(block, rendering);
    end = endOf(block);
  }
  const rest = source.slice(end);
  if (rest.trim() === '') out.writeRaw(rest);
}

/** Spaces in front of a paragraph are part of the text, in front of other blocks they say where these belong. */
function kept(gap: string, block: Block): string {
  return block.type === 'paragraph' ? gap : gap.replace(/[^\n]+$/, '');
}

function isShown(block: Block, { definitions }: Rendering): boolean {
  return block.type !== 'definition' || definitions.get(block.identifier) !== block;
}

function renderBlocks(blocks: readonly Block[], rendering: Rendering): void {
  let end: number | null = null;
  for (const block of blocks.filter((each) => isShown(each, rendering))) {
    if (end !== null) separate(rendering, { end, block });
    renderBlock(block, rendering);
    end = endOf(block);
  }
}

/** As many line breaks as were written, one at least, two at most; blocks with lines of their own are not indented. */
function separate({ source, out }: Rendering, { end, block }: { end: number; block: Block }): void {
  const breaks = source.slice(end, startOf(block)).split('\n').length - 1;
  out.writeRaw('\n'.repeat(Math.min(2, Math.max(1, breaks))));
  if (!isOwnLines(block)) out.writeRaw(out.indent);
}

function renderBlock(block: Block, rendering: Rendering): void {
  const { out } = rendering;
  if (isOwnLines(block) && out.isInLine) out.writeRaw('\n');
  switch (block.type) {
    case 'paragraph':
      return renderInlines(block.children, rendering);
    case 'heading':
      return out.styled({ kind: 'heading', level: block.depth }, () =>
        renderInlines(block.children, rendering),
      );
    case 'blockquote':
      return out.styled({ kind: 'quote' }, () =>
        renderInside(block.children, { ...rendering, isTop: false }),
      );
    case 'list':
      return renderList(block, { ...rendering, isTop: false });
    case 'code':
      return renderCode(block.value, block.lang ?? '', out);
    case 'table':
      return renderCode(tableText(block, rendering), '', out);
    case 'thematicBreak':
      return out.write(rule);
    case 'footnoteDefinition':
      out.write(`[${block.label ?? block.identifier}] `);
      return renderBlocks(block.children, { ...rendering, isTop: false });
    default:
      // The parser is told to make no others here; if it does, people see what was written.
      return out.write(rendering.source.slice(startOf(block), endOf(block)));
  }
}

function isOwnLines({ type }: Block): boolean {
  return type === 'code' || type === 'table' || type === 'blockquote';
}

function renderInside(blocks: readonly Block[], rendering: Rendering): void {
  const { out } = rendering;
  const before = out.indent;
  out.indent = '';
  renderBlocks(blocks, rendering);
  out.indent = before;
}

function renderCode(code: string, language: string, out: TextBuilder): void {
  out.styled({ kind: 'pre', language: /^[\w#+.-]{1,32}/.exec(language)?.[0] ?? '' }, () =>
    out.writeRaw(code),
  );
}

function renderList(list: List, rendering: Rendering): void {
  let end: number | null = null;
  for (const [index, item] of list.children.entries()) {
    if (end !== null) separate(rendering, { end, block: item });
    renderItem(item, { marker: markerOf(item, { list, index, rendering }), rendering });
    end = endOf(item);
  }
}

function markerOf(
  item: ListItem,
  { list, index, rendering }: { list: List; index: number; rendering: Rendering },
): string {
  const task = item.checked === true ? '☑' : item.checked === false ? '☐' : null;
  if (list.ordered !== true) return task ?? '•';
  const written = /^\d+([.)])/.exec(rendering.source.slice(startOf(item), startOf(item) + 12));
  const number = `${(list.start ?? 1) + index}${written?.[1] ?? '.'}`;
  return task === null ? number : `${number} ${task}`;
}

function renderItem(item: ListItem, { marker, rendering }: { marker: string; rendering: Rendering }): void {
  const { out } = rendering;
  const before = out.indent;
  out.styled({ kind: 'marker' }, () => out.writeRaw(marker));
  if (item.children.length > 0) out.writeRaw(' ');
  if (before.length < 2 * deepestIndent) out.indent = `${before}  `;
  if (item.children[0]?.type === 'list') out.writeRaw(`\n${out.indent}`);
  renderBlocks(item.children, rendering);
  out.indent = before;
}

function tableText(table: Table, rendering: Rendering): string {
  const rows = table.children.map((row) =>
    row.children.map((cell) => {
      const out = new TextBuilder();
      renderInlines(cell.children, { ...rendering, out, isTop: false, inCell: true });
      return out.build().text.trim();
    }),
  );
  return drawTable(rows, table.align ?? []);
}

/** Spaces at both ends of a paragraph belong to its node and to none of its children. */
function startOf(node: Nodes): number {
  const first = node.type === 'paragraph' ? node.children[0] : undefined;
  return (first ?? node).position?.start.offset ?? 0;
}

function endOf(node: Nodes): number {
  const last = node.type === 'paragraph' ? node.children.at(-1) : undefined;
  return (last ?? node).position?.end.offset ?? 0;
}
