/** Markdown → tree → text with spans: what stands inside of a paragraph. */
import type { Definition, Image, Link, Text } from 'mdast';
import { isLinkable } from './linkable.ts';
import { pairSpoilers, type Inline } from './pair-spoilers.ts';
import type { Style } from './styled-text.ts';
import type { TextBuilder } from './text-builder.ts';
import type { PhrasingContent } from 'mdast';

export interface Rendering {
  source: string;
  out: TextBuilder;
  definitions: ReadonlyMap<string, Definition>;
  /** In no quote and no list: the lines of the source are the lines of the text, so their spaces are kept. */
  isTop: boolean;
  /** In a cell of a table `<br>` is the only way to begin a line, and addresses have no other place than the text. */
  inCell?: boolean;
  /** No platform knows a link in a link; the outer one counts. */
  inLink?: boolean;
}

type Place = Pick<Inline & { position?: Text['position'] }, 'position'>;

export function renderInlines(children: readonly PhrasingContent[], rendering: Rendering): void {
  renderAll(pairSpoilers(children), rendering);
}

function renderAll(children: readonly Inline[], rendering: Rendering): void {
  let end: number | null = null;
  for (const child of children) {
    const place: Place = child as Place;
    const start = place.position?.start.offset ?? null;
    // Spaces that the parser strips stand in no node.
    if (rendering.isTop && end !== null && start !== null) {
      const gap = rendering.source.slice(end, start);
      if (gap !== '' && gap.trim() === '') rendering.out.write(gap);
    }
    renderInline(child, rendering);
    end = place.position?.end.offset ?? null;
  }
}

function renderInline(child: Inline, rendering: Rendering): void {
  const { out } = rendering;
  switch (child.type) {
    case 'text':
      return out.write(textOf(child, rendering));
    case 'emphasis':
      return styled('italic', child.children, rendering);
    case 'strong':
      return styled('bold', child.children, rendering);
    case 'delete':
      return styled('strikethrough', child.children, rendering);
    case 'spoiler':
      return out.styled({ kind: 'spoiler' }, () => renderAll(child.children, rendering));
    case 'inlineCode':
      return out.styled({ kind: 'code' }, () => out.writeRaw(child.value.replaceAll('\n', ' ')));
    case 'break':
      return out.write(breakOf(child, rendering));
    case 'link':
      return renderLink(child, { url: child.url, rendering });
    case 'image':
      return renderLink(child, { url: child.url, rendering });
    case 'linkReference':
    case 'imageReference':
      return renderLink(child, { url: rendering.definitions.get(child.identifier)?.url ?? '', rendering });
    case 'footnoteReference':
      return out.write(`[${child.label ?? child.identifier}]`);
    default:
      return out.write(sourceOf(child, rendering));
  }
}

function styled(
  kind: Extract<Style['kind'], 'bold' | 'italic' | 'strikethrough'>,
  children: readonly PhrasingContent[],
  rendering: Rendering,
): void {
  rendering.out.styled({ kind }, () => renderInlines(children, rendering));
}

/** With its spaces at the beginnings and ends of lines, which the parser strips, unless it stands in a quote or list. */
function textOf(text: Text, rendering: Rendering): string {
  if (rendering.inCell) return text.value.replaceAll(/<br ?\/?>/gi, '\n');
  if (!rendering.isTop || text.position === undefined) return text.value;
  const written = sourceOf(text, rendering);
  return written.replaceAll(/[ \t]*(\r?\n|\r)[ \t]*/g, '$1') === text.value ? written : text.value;
}

function breakOf(node: Place, rendering: Rendering): string {
  const written = sourceOf(node, rendering);
  return rendering.isTop && written.trim() === '' ? written : '\n';
}

type LinkNode = Extract<PhrasingContent, { type: 'link' | 'linkReference' | 'image' | 'imageReference' }>;

function renderLink(node: LinkNode, { url, rendering }: { url: string; rendering: Rendering }): void {
  const { out } = rendering;
  const label = labelOf(node);
  if (node.type === 'link' && isBare(node, label)) return out.write(label);
  // A link that the platform would not make is shown as it was written, so that nothing is lost.
  if (!isLinkable(url)) return out.write(sourceOf(node, rendering));
  const write = (): void => writeLabel(node, { url, rendering: { ...rendering, inLink: true } });
  if (rendering.inLink) return write();
  if (!rendering.inCell) return out.styled({ kind: 'link', url }, write);
  write();
  if (label !== '' && label !== url) out.write(` (${url})`);
}

function writeLabel(node: LinkNode, { url, rendering }: { url: string; rendering: Rendering }): void {
  if (labelOf(node).trim() === '') return rendering.out.write(url);
  if ('children' in node) return renderInlines(node.children, rendering);
  rendering.out.write(node.alt ?? '');
}

function labelOf(node: Inline): string {
  if ('children' in node) return node.children.map(labelOf).join('');
  if ('value' in node) return node.value;
  return 'alt' in node ? (node.alt ?? '') : '';
}

function isBare({ url }: Link, label: string): boolean {
  return url === label || url === `http://${label}` || url === `mailto:${label}`;
}

function sourceOf({ position }: Place | Image, { source }: Rendering): string {
  return source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
}
