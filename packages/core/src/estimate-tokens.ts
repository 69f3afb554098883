import type { Part } from './message.ts';
import type { ToolSchema } from './ports/model.ts';

/*
 * One pass over UTF-16 code units, no tables, no allocation. Each class of characters counts runs and adds a weight;
 * the weights were fitted by non-negative least squares on the relative error against o200k_base over prose, chat,
 * code, JSON, logs, listings and eleven scripts.
 */
const wordTokens = 1.13;
/** Letters of one word beyond this many cost extra; else an unbroken run of 50,000 letters would count as one word. */
const freeLetters = 14;
const extraLetterTokens = 0.65;
/** Case fragments of ids and base64, letters glued to digits. */
const fragmentTokens = 1.07;
const digitGroupTokens = 1.38;
const punctuationRunTokens = 0.61;
const punctuationExtraTokens = 0.17;
const blankRunTokens = 1.5;
const longBlankTokens = 1 / 128;
const surrogatePairTokens = 1.97;

const kinds = {
  none: 0,
  lower: 1,
  upper: 2,
  digit: 3,
  blank: 4,
  newline: 5,
  punctuation: 6,
  wide: 7,
} as const;

/** Class of an ASCII code unit. */
const asciiClass = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  if (code >= 97 && code <= 122) asciiClass[code] = kinds.lower;
  else if (code >= 65 && code <= 90) asciiClass[code] = kinds.upper;
  else if (code >= 48 && code <= 57) asciiClass[code] = kinds.digit;
  else if (code === 32 || code === 9) asciiClass[code] = kinds.blank;
  else if (code === 10 || code === 13) asciiClass[code] = kinds.newline;
  else asciiClass[code] = kinds.punctuation;
}

/** Tokens of one code unit outside ASCII that is not half of a surrogate pair. */
function wideTokens(code: number): number {
  if (code >= 0x4e00 && code <= 0x9fff) return 0.7; // Han
  if (code >= 0x3400 && code <= 0x4dbf) return 0.7;
  if (code >= 0x3040 && code <= 0x30ff) return 0.89; // kana
  if (code >= 0xac00 && code <= 0xd7af) return 0.76; // Hangul
  if (code >= 0x0400 && code <= 0x052f) return 0.3; // Cyrillic
  if (code >= 0x0590 && code <= 0x06ff) return 0.38; // Hebrew, Arabic
  if (code >= 0x0900 && code <= 0x0dff) return 0.38; // Indic
  if (code >= 0x00c0 && code <= 0x024f) return 0.91; // Latin extended
  return 0.58;
}

/**
 * Rough tokens of a text, >= 0, whole number. Mean error against o200k_base under 8 %, base64 excepted.
 * The one estimate of the product; real usage always wins over it. Linear in the length.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let index = 0;
  const length = text.length;
  while (index < length) {
    const code = text.charCodeAt(index);
    if (code >= 128) {
      const isPair = code >= 0xd800 && code <= 0xdbff && index + 1 < length;
      tokens += isPair ? surrogatePairTokens : wideTokens(code);
      index += isPair ? 2 : 1;
      continue;
    }
    const start = index;
    switch (asciiClass[code]) {
      case kinds.lower:
      case kinds.upper:
        index = wordEnd(text, index);
        tokens += wordCost(text, start, index);
        break;
      case kinds.digit:
        index = runEnd(text, index, kinds.digit);
        tokens += digitGroupTokens * Math.ceil((index - start) / 3);
        break;
      case kinds.blank:
        index = runEnd(text, index, kinds.blank);
        if (index - start > 1) tokens += blankRunTokens + (index - start) * longBlankTokens;
        break;
      case kinds.newline:
        index = runEnd(text, index, kinds.newline);
        if (index - start > 1) tokens += (index - start) * longBlankTokens;
        break;
      default:
        // Control characters count here too: the scan always advances.
        index = runEnd(text, index, kinds.punctuation);
        tokens += punctuationRunTokens + punctuationExtraTokens * (index - start - 1);
    }
  }
  return Math.ceil(tokens);
}

/** End of the run of one class that begins at `index`. */
function runEnd(text: string, index: number, kind: number): number {
  let end = index + 1;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code >= 128 || asciiClass[code] !== kind) break;
    end++;
  }
  return end;
}

/** End of a word: letters, split where lower case is followed by upper case. */
function wordEnd(text: string, index: number): number {
  let end = index + 1;
  let before = asciiClass[text.charCodeAt(index)];
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code >= 128) break;
    const kind = asciiClass[code];
    if (kind !== kinds.lower && kind !== kinds.upper) break;
    if (before === kinds.lower && kind === kinds.upper) break;
    before = kind;
    end++;
  }
  return end;
}

function wordCost(text: string, start: number, end: number): number {
  const letters = end - start;
  if (isGlued(text, start, end))
    return fragmentTokens + Math.max(0, letters - freeLetters) * extraLetterTokens;
  return wordTokens + Math.max(0, letters - freeLetters) * extraLetterTokens;
}

/** Letters that touch a digit: part of an id, a hash or base64. */
function isGlued(text: string, start: number, end: number): boolean {
  const before = start > 0 ? text.charCodeAt(start - 1) : 0;
  const after = end < text.length ? text.charCodeAt(end) : 0;
  return (
    (before < 128 && asciiClass[before] === kinds.digit) || (after < 128 && asciiClass[after] === kinds.digit)
  );
}

/** Role, separators and the like that every message costs on the wire. */
export const messageFramingTokens = 4;
/** Envelope of one tool call or result: ids, names, brackets. */
export const toolFramingTokens = 12;

export function estimatePart(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'header':
      return estimateTokens(part.text);
    case 'tool_call':
      return estimateTokens(part.name) + estimateTokens(part.arguments) + toolFramingTokens;
    case 'tool_result':
      return estimateTokens(part.text) + toolFramingTokens;
    case 'payload':
      return estimateTokens(part.preview);
    case 'sidecar':
      return 0; // opaque; only real usage prices it
  }
}

/** Tokens of one message with its framing. */
export function estimateParts(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + estimatePart(part), messageFramingTokens);
}

/** Tokens of system text and tool schemas together. */
export function estimateOverhead(system: readonly string[], tools: readonly ToolSchema[]): number {
  const text = system.reduce((sum, block) => sum + estimateTokens(block), messageFramingTokens);
  return tools.reduce((sum, tool) => sum + estimateTokens(JSON.stringify(tool)) + toolFramingTokens, text);
}
