/** Spans → Discord's Markdown, line by line: no mark reaches over the end of a line. */
import { encodedLink } from '../text/linkable.ts';
import { sliceStyled, spanAt, type Span, type StyledText } from '../text/styled-text.ts';
import { escapeDiscord, type EscapeContext } from './escape-discord.ts';

const marks = { bold: '**', strikethrough: '~~' } as const;
/** Discord knows three sizes; smaller headings are bold. */
const smallestHeading = 3;

/** A text as Discord's clients show it: everything that is not a span is seen as it stands. */
export function discordMarkdown(styled: StyledText): string {
  const lines: string[] = [];
  for (let start = 0; start <= styled.text.length;) {
    const code = spanAt(styled, 'pre', start);
    const end = code ? code.end : lineEnd(styled, start);
    const piece = sliceStyled(styled, start, end);
    const quoted = isQuoted(styled, { start, end }) ? '> ' : '';
    const shown = code ? fenced(piece.text, code.language) : [line(piece)];
    lines.push(...shown.map((text) => quoted + text));
    // Behind code the line is over, whether it was cut there or not.
    start = styled.text[end] === '\n' || end === styled.text.length ? end + 1 : end;
  }
  return lines.join('\n');
}

function lineEnd({ text, spans }: StyledText, start: number): number {
  const lineBreak = text.indexOf('\n', start);
  const end = lineBreak === -1 ? text.length : lineBreak;
  return Math.min(
    end,
    ...spans.filter((span) => span.kind === 'pre' && span.start > start).map((span) => span.start),
  );
}

function isQuoted({ spans }: StyledText, { start, end }: { start: number; end: number }): boolean {
  return spans.some(
    (span) =>
      span.kind === 'quote' && span.start <= start && start <= span.end && (start < span.end || start < end),
  );
}

/** Three back-ticks always end a block on Discord, so an invisible space keeps those of the code apart. */
function fenced(code: string, language: string): string[] {
  const safe = code.replaceAll('``', '`\u200B`');
  return [`\`\`\`${language}`, ...safe.split('\n'), '```'];
}

function line(piece: StyledText): string {
  const { text } = piece;
  const spans = piece.spans.map((span) => trimmed(span, text)).filter((span) => span.start < span.end);
  const heading = spans.find((span) => span.kind === 'heading');
  const level =
    heading?.kind === 'heading' && text.slice(0, heading.start).trim() === '' ? heading.level : null;
  const isHeading = level !== null && level <= smallestHeading;
  const shown = spans.flatMap((span): Span[] => {
    if (span.kind === 'quote') return [];
    if (span.kind !== 'heading') return [span];
    return isHeading ? [] : [{ kind: 'bold', start: span.start, end: span.end }];
  });
  const context = {
    text,
    borders: new Set(shown.flatMap(({ start, end }) => [start, end])),
    isItalic: false,
  };
  const body = inside({ start: 0, end: text.length }, shown, context);
  return isHeading ? `${'#'.repeat(level)} ${body.trimStart()}` : body;
}

/** Marks beside a space are no marks. */
function trimmed(span: Span, text: string): Span {
  if (span.kind === 'code') return span;
  const written = text.slice(span.start, span.end);
  const start = span.start + (written.length - written.trimStart().length);
  return { ...span, start, end: Math.max(start, span.start + written.trimEnd().length) };
}

function inside(
  { start, end }: { start: number; end: number },
  spans: readonly Span[],
  context: EscapeContext,
): string {
  let written = '';
  let position = start;
  for (const [index, span] of spans.entries()) {
    if (span.start < position) continue;
    written += escapeDiscord(position, span.start, context);
    const inner = spans
      .slice(index + 1)
      .filter((other) => other.start >= span.start && other.end <= span.end);
    const next = spans.find((other) => other.start === span.end);
    written += shown(span, inner, {
      ...context,
      before: written,
      isFollowed: next !== undefined || span.end === end,
    });
    position = span.end;
  }
  return written + escapeDiscord(position, end, context);
}

type Surroundings = EscapeContext & { before: string; isFollowed: boolean };

function shown(span: Span, inner: readonly Span[], around: Surroundings): string {
  const { text } = around;
  const raw = text.slice(span.start, span.end);
  const body = (): string =>
    inside(
      span,
      inner.filter(({ kind }) => kind !== span.kind),
      around,
    );
  switch (span.kind) {
    case 'marker':
      return raw === '•' ? '-' : raw;
    case 'code':
      return inlineCode(raw);
    case 'link':
      return maskedLink(raw, body(), span.url);
    case 'italic':
      return italic(span, inner, around);
    case 'spoiler':
      // Discord ends a spoiler at bars in code, too.
      return `||${inside(
        span,
        inner.filter(({ kind }) => kind !== 'code' && kind !== 'spoiler'),
        around,
      )}||`;
    case 'bold':
    case 'strikethrough':
      return marked(marks[span.kind], body());
    default:
      return body();
  }
}

/** Underscores work up to a letter that follows, asterisks where no other asterisks stand beside them. */
function italic(span: Span, inner: readonly Span[], around: Surroundings): string {
  const content = inside(
    span,
    inner.filter(({ kind }) => kind !== 'italic'),
    { ...around, isItalic: true },
  );
  const next = around.text.slice(span.end, span.end + 1);
  const isWordBehind = !around.isFollowed && /[\p{L}\p{N}_]/u.test(next);
  if (!isWordBehind && !around.before.endsWith('~') && !holds(content, '_')) return `_${content}_`;
  const isClear = !around.before.endsWith('*') && !around.isFollowed;
  return isClear ? marked('*', content) : content;
}

/** Text that holds its own mark, in code or an address, goes without. */
function marked(mark: string, content: string): string {
  return holds(content, mark) ? content : mark + content + mark;
}

function holds(content: string, mark: string): boolean {
  return content.replaceAll(/\\[^]/g, '').includes(mark);
}

function inlineCode(code: string): string {
  if (code.trim() === '') return code;
  const longest = Math.max(0, ...(code.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = code.startsWith('`') || code.endsWith('`') ? ' ' : '';
  return fence + space + code + space + fence;
}

/** Discord takes no label with an address in it and none with single brackets. */
function maskedLink(label: string, shownLabel: string, url: string): string {
  const isPossible = !/:\/\/|www\./i.test(label) && /^[^[\]]*(?:\[[^[\]]*\][^[\]]*)*$/.test(label);
  return isPossible ? `[${shownLabel}](${encodedLink(url)})` : `${shownLabel} (<${encodedLink(url)}>)`;
}
