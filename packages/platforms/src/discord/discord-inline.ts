/** Marks of bold, italic and the like in one line of a message on Discord. */
import { encodedLink } from '../text/linkable.ts';
import type { Span } from '../text/styled-text.ts';
import { escapeDiscord, type EscapeContext } from './escape-discord.ts';

const marks = { bold: '**', strikethrough: '~~' } as const;
const invisibleSpace = '\u200B';

/** `before`: what is written already and ends where this begins, as far as its last character goes. */
type Around = EscapeContext & { before: string };

/** A stretch of a line with the marks of the spans that lie in it, outer ones first. */
export function writeInline(
  { start, end }: { start: number; end: number },
  spans: readonly Span[],
  around: Around,
): string {
  let written = '';
  let position = start;
  for (const [index, span] of spans.entries()) {
    if (span.start < position) continue;
    const plain = escapeDiscord(position, span.start, around);
    written += plain;
    const inner = spans
      .slice(index + 1)
      .filter((other) => other.kind !== span.kind && other.start >= span.start && other.end <= span.end);
    const isFollowed =
      span.end === end ||
      spans.some((other) => other.start === span.end && beginsWithMark(other, around.text));
    const piece = writeSpan(span, inner, { ...around, before: around.before + written, isFollowed });
    written += between({ written, plain }, piece) + piece;
    position = span.end;
  }
  return written + escapeDiscord(position, end, around);
}

const openAddress = /https?:\/\/[^\s<]+$/;

/**
 * Equal marks side by side would be taken for one, and a link or marks behind an address for a part of it.
 * `plain`: the end of what is written, as far as it has no marks.
 */
function between({ written, plain }: { written: string; plain: string }, piece: string): string {
  if (piece.startsWith('[') && openAddress.test(written)) return ' ';
  if (/^[*_~|`]/.test(piece) && openAddress.test(plain)) return ' ';
  return /[*_~|`]$/.test(written) && piece.startsWith(written.at(-1)!) ? invisibleSpace : '';
}

/** `isFollowed`: marks stand right behind. */
type Surroundings = Around & { isFollowed: boolean };

function writeSpan(span: Span, inner: readonly Span[], around: Surroundings): string {
  const raw = around.text.slice(span.start, span.end);
  const content = (before: string): string => writeInline(span, inner, { ...around, before });
  switch (span.kind) {
    case 'marker':
      return raw === '•' && around.text[span.end] === ' ' ? '-' : raw;
    case 'code':
      return inlineCode(raw);
    case 'link':
      return maskedLink(raw, content(canMask(raw) ? '[' : around.before), span.url);
    case 'italic':
      return italic(span, content('_'), around);
    case 'spoiler':
      return spoiler(span, inner, around);
    case 'bold':
    case 'strikethrough':
      return marked(marks[span.kind], content(marks[span.kind]));
    default:
      return content(around.before);
  }
}

/** Underscores work up to a letter that follows, asterisks where no other asterisks stand beside them. */
function italic(span: Span, content: string, around: Surroundings): string {
  const next = around.text.slice(span.end, span.end + 1);
  const isWordBehind = !around.isFollowed && /[\p{L}\p{N}_]/u.test(next);
  if (!isWordBehind && !/[~_]$/.test(around.before) && !holds(content, '_')) return `_${content}_`;
  const isClear = !around.before.endsWith('*') && !around.isFollowed;
  // Discord ends it at an asterisk with a backslash, too.
  return isClear && !content.includes('*') ? `*${content}*` : content;
}

/** Discord ends a spoiler at bars in code and in addresses, too; what is hidden must stay so. */
function spoiler(span: Span, inner: readonly Span[], around: Surroundings): string {
  const visible = inner.filter(({ kind }) => kind !== 'code');
  return closed('||', apart(writeInline(span, visible, { ...around, before: '||' }), '|'));
}

/** Text that holds its own mark, in code or an address, goes without. */
function marked(mark: string, content: string): string {
  return holds(content, mark) ? content : closed(mark, content);
}

/** Bars and tildes before the closing ones would be taken for them. */
function closed(mark: string, content: string): string {
  const space = content.endsWith(mark.charAt(0)) && mark.length === 2 ? invisibleSpace : '';
  return mark + content + space + mark;
}

function holds(content: string, mark: string): boolean {
  return content.replaceAll(/\\[^]/g, '').includes(mark);
}

/** Three back-ticks would begin a block, so those of the code are kept apart as in blocks. */
function inlineCode(code: string): string {
  if (code.trim() === '') return code;
  if (!code.includes('`')) return `\`${code}\``;
  const space = code.startsWith('`') || code.endsWith('`') ? ' ' : '';
  return `\`\`${space}${apart(code, '`')}${space}\`\``;
}

/** With an invisible space between equal characters that would be a mark. */
export function apart(text: string, character: string): string {
  return text.replaceAll(new RegExp(`(?<=[${character}])(?=[${character}])`, 'g'), invisibleSpace);
}

function maskedLink(label: string, shownLabel: string, url: string): string {
  return canMask(label) ? `[${shownLabel}](${encodedLink(url)})` : `${shownLabel} (<${encodedLink(url)}>)`;
}

/** Discord takes no label with an address in it and none with single brackets. */
function canMask(label: string): boolean {
  return !/:\/\/|www\./i.test(label) && /^[^[\]]*(?:\[[^[\]]*\][^[\]]*)*$/.test(label);
}

function beginsWithMark(span: Span, text: string): boolean {
  return span.kind !== 'italic' && (span.kind !== 'link' || canMask(text.slice(span.start, span.end)));
}
