/** Spans → Discord's Markdown, line by line: no mark reaches over the end of a line. */
import { sliceStyled, spanAt, type Span, type StyledText } from '../text/styled-text.ts';
import { apart, writeInline } from './discord-inline.ts';
import { addressesIn, hasLinkInCode, hasUnderscores } from './escape-discord.ts';

/** Discord knows three sizes; smaller headings are bold. */
const smallestHeading = 3;

/** A text as Discord's clients show it: everything that is not a span is seen as it stands. */
export function discordMarkdown(styled: StyledText): string {
  const lines: string[] = [];
  const whole = { hasUnderscores: hasUnderscores(styled), hasLinkInCode: hasLinkInCode(styled) };
  for (let start = 0; start <= styled.text.length;) {
    const code = spanAt(styled, 'pre', start);
    const end = code ? code.end : lineEnd(styled, start);
    const piece = sliceStyled(styled, start, end);
    const quoted = isQuoted(styled, { start, end }) ? '> ' : '';
    const shown = code ? fenced(piece.text, code.language) : [line(piece, whole)];
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
  // A block of nothing is no block there.
  if (code.trim() === '') return code.split('\n');
  const safe = code.replaceAll(/`{3,}/g, (run) => apart(run, '`'));
  return [`\`\`\`${language}`, ...safe.split('\n'), '```'];
}

function line(piece: StyledText, whole: { hasUnderscores: boolean; hasLinkInCode: boolean }): string {
  const { text } = piece;
  const spans = piece.spans.map((span) => trimmed(span, text)).filter((span) => span.start < span.end);
  const level = headingLevel(spans, text);
  const shown = markable(spans, { text, isHeading: level !== null });
  const borders = new Set(shown.flatMap(({ start, end }) => [start, end]));
  const hasBracketLabel =
    whole.hasLinkInCode ||
    shown.some(({ kind, start, end }) => kind === 'link' && text.slice(start, end).includes('['));
  const around = { text, borders, hasUnderscores: whole.hasUnderscores, hasBracketLabel, before: '' };
  const body = writeInline({ start: 0, end: text.length }, shown, around);
  return level === null ? body : `${'#'.repeat(level)} ${body.trimStart()}`;
}

/** Null: not a heading, or one that Discord shows as bold text. */
function headingLevel(spans: readonly Span[], text: string): number | null {
  const heading = spans.find((span) => span.kind === 'heading');
  if (heading?.kind !== 'heading' || heading.level > smallestHeading) return null;
  return text.slice(0, heading.start).trim() === '' ? heading.level : null;
}

/** What gets marks in a line. Marks in an address would become part of it, so what begins or ends in one gets none. */
function markable(spans: readonly Span[], { text, isHeading }: { text: string; isHeading: boolean }): Span[] {
  const addresses = addressesIn(text);
  const isSwallowed = (span: Span): boolean =>
    addresses.some(
      ({ start, end }) => (start < span.start && span.start <= end) || (start < span.end && span.end < end),
    );
  return spans.flatMap((span): Span[] => {
    if (span.kind === 'quote' || (span.kind === 'heading' && isHeading)) return [];
    if (span.kind !== 'link' && isSwallowed(span)) return [];
    return span.kind === 'heading' ? [{ kind: 'bold', start: span.start, end: span.end }] : [span];
  });
}

/** Marks beside a space are no marks. */
function trimmed(span: Span, text: string): Span {
  if (span.kind === 'code') return span;
  const written = text.slice(span.start, span.end);
  const start = span.start + (written.length - written.trimStart().length);
  return { ...span, start, end: Math.max(start, span.start + written.trimEnd().length) };
}
