/**
 * The fake servers' own token counter: deterministic, without tables, and on purpose not the product's estimator,
 * so that the product has to live with figures it did not compute.
 */
export type TokenCount = (text: string) => number;

/** Tokens a message costs beyond its text. */
export const MESSAGE_FRAMING_TOKENS = 4;
/** Tokens a tool call or a tool result costs beyond its text. */
export const CALL_FRAMING_TOKENS = 6;
/** Tokens a tool definition costs beyond its text. */
export const TOOL_FRAMING_TOKENS = 8;
/** Tokens the answer's opening costs. */
export const PRIMING_TOKENS = 3;
/** Tokens of an image or document, whatever its size. */
export const MEDIA_TOKENS = 1500;

type CharacterClass = 'letter' | 'digit' | 'blank' | 'mark' | 'wide' | 'other';

/**
 * Count a text. A run of ASCII letters is 1 token per 6, of digits 1 per 3, of punctuation 1 per 2; a single blank is
 * free, longer blank runs 1 per 16; CJK, kana, Hangul and each half of a surrogate pair 1 each; other letters 1 per 2.
 * Never shrinks when text is appended.
 */
export function countFakeTokens(text: string): number {
  let total = 0;
  let run = 0;
  let current: CharacterClass = 'blank';
  for (let at = 0; at < text.length; at += 1) {
    const next = classOf(text.charCodeAt(at));
    if (next !== current) {
      total += weigh(current, run);
      current = next;
      run = 0;
    }
    run += 1;
  }
  return total + weigh(current, run);
}

function classOf(code: number): CharacterClass {
  if (code < 0x80) {
    if ((code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)) return 'letter';
    if (code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d) return 'blank';
    return code >= 0x30 && code <= 0x39 ? 'digit' : 'mark';
  }
  if (code >= 0x2e80 && code <= 0x9fff) return 'wide';
  if (code >= 0xac00 && code <= 0xdfff) return 'wide';
  return code >= 0xf900 && code <= 0xffef ? 'wide' : 'other';
}

function weigh(kind: CharacterClass, run: number): number {
  switch (kind) {
    case 'letter':
      return Math.ceil(run / 6);
    case 'digit':
      return Math.ceil(run / 3);
    case 'blank':
      return run < 2 ? 0 : Math.ceil(run / 16);
    case 'mark':
    case 'other':
      return Math.ceil(run / 2);
    case 'wide':
      return run;
  }
}

// A growing conversation repeats all its older texts: remembering them keeps a 1 MB prompt at a few milliseconds.
const REMEMBERED_CHARACTERS = 32_000_000;

/** The same counter with a bounded memory of texts already counted. */
export function rememberCounts(count: TokenCount): TokenCount {
  const known = new Map<string, number>();
  let held = 0;
  return (text) => {
    if (text.length < 64) return count(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    if (held + text.length > REMEMBERED_CHARACTERS) {
      known.clear();
      held = 0;
    }
    const tokens = count(text);
    known.set(text, tokens);
    held += text.length;
    return tokens;
  };
}

/** The longest start of the text that is at most `limit` tokens. */
export function cutToTokens(text: string, limit: number, count: TokenCount): string {
  if (count(text) <= limit) return text;
  let low = 0;
  let high = text.length;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (count(text.slice(0, middle)) <= limit) low = middle;
    else high = middle;
  }
  return wholeCharacters(text.slice(0, low));
}

/** Drop half a surrogate pair at the end: databases and some parsers refuse it. */
export function wholeCharacters(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '');
}
