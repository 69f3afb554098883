/** Text as people see it, with what it looks like beside it: what every platform's own form is made from. */

/** `marker` is the bullet or number of a list entry. */
export type Style =
  | { kind: 'bold' | 'italic' | 'strikethrough' | 'spoiler' | 'code' | 'quote' | 'marker' }
  | { kind: 'heading'; level: number }
  | { kind: 'pre'; language: string }
  | { kind: 'link'; url: string };

/** One style from `start` to before `end`, in UTF-16 units; never empty. */
export type Span = Style & { start: number; end: number };

/** Spans stand as they were opened, so outer ones come before inner ones; two of them nest or do not touch. */
export interface StyledText {
  text: string;
  spans: readonly Span[];
}

export function plainText(text: string): StyledText {
  return { text, spans: [] };
}

/** The stretch from `start` to before `end` with the parts of the spans that lie in it. */
export function sliceStyled({ text, spans }: StyledText, start: number, end: number): StyledText {
  return {
    text: text.slice(start, end),
    spans: spans.flatMap((span) => {
      const from = Math.max(span.start, start) - start;
      const to = Math.min(span.end, end) - start;
      return from < to ? [{ ...span, start: from, end: to }] : [];
    }),
  };
}

/** The span of this kind that holds the character at `position`. */
export function spanAt<Kind extends Style['kind']>(
  { spans }: StyledText,
  kind: Kind,
  position: number,
): Extract<Span, { kind: Kind }> | undefined {
  return spans.find(
    (span): span is Extract<Span, { kind: Kind }> =>
      span.kind === kind && span.start <= position && position < span.end,
  );
}
