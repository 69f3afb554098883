import { estimateTokens } from '@palimpsest/core';

/** Something a person said, word for word. */
export interface Quote {
  /** YYYY-MM-DD, as the person's header says or as it was sent; '' when unknown. */
  day: string;
  text: string;
}

/** Characters of all quotes and of one message. */
const quoteLimits = { chars: 24_000, messageChars: 4_000 };

/** One message never takes more than this share of the room. */
const messageShare = 0.4;
const leastMessageTokens = 40;

/**
 * The person's messages as quoted lines, newest first, as far as they fit. A message over its limit is cut and says so;
 * one that came twice is quoted once.
 * quotes   newest first
 */
export function renderQuotes(quotes: readonly Quote[], capTokens: number): string {
  const lines: string[] = [];
  const known = new Set<string>();
  let tokens = 0;
  let chars = 0;
  let day = '';
  for (const quote of quotes) {
    if (known.has(quote.text)) continue;
    known.add(quote.text);
    const text = cutQuote(quote.text, Math.max(leastMessageTokens, capTokens * messageShare));
    const block = quoteLines(text);
    const dayLine = quote.day !== day && quote.day !== '' ? `(${quote.day})\n` : '';
    const cost = estimateTokens(dayLine) + estimateTokens(block) + 1;
    if (tokens + cost > capTokens || chars + text.length > quoteLimits.chars) break;
    tokens += cost;
    chars += text.length;
    day = quote.day;
    lines.push(dayLine + block);
  }
  return lines.join('\n\n');
}

/** The messages of rendered quotes, in their order. */
export function parseQuotes(text: string): readonly Quote[] {
  const quotes: Quote[] = [];
  let day = '';
  let open: string[] = [];
  const close = (): void => {
    if (open.length > 0) quotes.push({ day, text: open.join('\n') });
    open = [];
  };
  for (const line of text.split('\n')) {
    if (line === '>' || line.startsWith('> ')) {
      open.push(line.slice(2));
      continue;
    }
    close();
    day = /^\((\d{4}-\d\d-\d\d)\)$/.exec(line)?.[1] ?? day;
  }
  close();
  return quotes;
}

/** Each line marked, so that nothing in it can pass for a heading of ours. */
export function quoteLines(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

function cutQuote(text: string, capTokens: number): string {
  const tokens = estimateTokens(text);
  const share = Math.min(
    1,
    capTokens / Math.max(1, tokens),
    quoteLimits.messageChars / Math.max(1, text.length),
  );
  if (share === 1) return text;
  const kept = text.slice(0, Math.max(1, Math.floor(text.length * share) - 30)).toWellFormed();
  return `${kept}… (${text.length} characters in all)`;
}
