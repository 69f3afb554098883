/** Spans → entities as Telegram takes them. */
import type { PartEntity } from '@palimpsest/core';
import type { Span, StyledText } from '../text/styled-text.ts';

/** Telegram keeps this many of a message and drops the rest in silence. */
export const mostEntities = 100;

interface Stretch {
  start: number;
  end: number;
}

/**
 * Entities of a text, outer ones first.
 *
 * Telegram's rules: code and blocks hold no others and stand in none but quotes, quotes hold no quotes, links no links.
 * So bold text around code is bold on both sides of it, and code in a link or under a spoiler is only the link or hidden.
 */
export function telegramEntities({ spans }: StyledText): readonly PartEntity[] {
  const of = (...kinds: readonly Span['kind'][]): Span[] => spans.filter(({ kind }) => kinds.includes(kind));
  const covers = of('link', 'spoiler');
  const code = of('code').filter((span) => !covers.some((cover) => touch(cover, span)));
  const closed = [...code, ...of('pre')];
  const around = (type: string, ...kinds: readonly Span['kind'][]): PartEntity[] =>
    without(outermost(of(...kinds)), closed).map((stretch) => entity(type, stretch));
  return [
    ...outermost(of('quote')).map((stretch) => entity('blockquote', stretch)),
    ...of('link').map((span) => ({ ...entity('text_link', span), url: 'url' in span ? span.url : '' })),
    ...of('pre').map(preEntity),
    ...code.map((span) => entity('code', span)),
    ...around('bold', 'bold', 'heading'),
    ...around('italic', 'italic'),
    ...around('strikethrough', 'strikethrough'),
    ...around('spoiler', 'spoiler'),
  ].toSorted((one, other) => one.offset - other.offset || other.length - one.length);
}

function preEntity(span: Span): PartEntity {
  const language = span.kind === 'pre' ? span.language : '';
  return { ...entity('pre', span), ...(language !== '' && { language }) };
}

function entity(type: string, { start, end }: Stretch): PartEntity {
  return { type, offset: start, length: end - start };
}

function touch(one: Stretch, other: Stretch): boolean {
  return one.start < other.end && other.start < one.end;
}

/** Without those that lie in another: bold in bold is bold. */
function outermost(stretches: readonly Stretch[]): Stretch[] {
  const kept: Stretch[] = [];
  for (const { start, end } of stretches) {
    const last = kept.at(-1);
    if (!last || end > last.end) kept.push({ start, end });
  }
  return kept;
}

function without(stretches: readonly Stretch[], holes: readonly Stretch[]): Stretch[] {
  return holes.reduce<Stretch[]>(
    (left, hole) =>
      left.flatMap((stretch) =>
        touch(stretch, hole)
          ? [
              { start: stretch.start, end: hole.start },
              { start: hole.end, end: stretch.end },
            ].filter(({ start, end }) => start < end)
          : [stretch],
      ),
    [...stretches],
  );
}
