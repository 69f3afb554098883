/*
 * Finds what identifies a thing in a text: #numbers, commit ids, paths, links, handles, error lines. Mechanical and
 * verbatim: nothing is paraphrased. One pass over the characters, so that a megabyte of tool output costs milliseconds.
 * source: decisions.md 12, spec/compressor.md 7.4
 */
import { errorLines } from './error-lines.ts';

export const anchorKinds = ['issue', 'commit', 'path', 'error', 'url', 'handle'] as const;
export type AnchorKind = (typeof anchorKinds)[number];

export interface AnchorSink {
  /** `at` is where the anchor begins in the text. */
  add(kind: AnchorKind, anchor: string, at: number): void;
}

/** Bits of ASCII characters; 0 ends a word. */
const bits = {
  hex: 1,
  digit: 2,
  slash: 4,
  dot: 8,
  hash: 16,
  at: 32,
  letter: 64,
  colon: 128,
  other: 256,
} as const;
/** Hex digits of both kinds and nothing else: a plain number or an English word is no commit. */
const commitMask = bits.hex | bits.digit;
/** Without any of these only a known extension makes a word a path. */
const beyondDots = bits.slash | bits.hash | bits.at;
const telling = bits.slash | bits.dot | bits.hash | bits.at;

const classOf = new Uint16Array(128);
for (let code = 33; code < 127; code++) {
  const char = String.fromCharCode(code);
  if (/[0-9]/.test(char)) classOf[code] = bits.digit;
  else if (/[a-f]/.test(char)) classOf[code] = bits.hex;
  else if (/[A-Za-z]/.test(char)) classOf[code] = bits.letter;
  else if (!/["'`()[\]{}<>|;,=\\]/.test(char)) classOf[code] = bits.other;
}
for (const [char, bit] of Object.entries({
  '/': bits.slash,
  '.': bits.dot,
  '#': bits.hash,
  '@': bits.at,
  ':': bits.colon,
}))
  classOf[char.charCodeAt(0)] = bit;

/** Letters beyond ASCII belong to words up to Latin Extended; other scripts stand apart from paths. */
const lastLatin = 0x24f;
const longestAnchor = 240;
const longestExtension = 10;

/** Name what a text holds. `said`: a person or the model wrote it; handles are looked for only there. */
export function findAnchors(text: string, said: boolean, sink: AnchorSink): void {
  new AnchorScan(text, said, sink).run();
  for (const { line, at } of errorLines(text)) sink.add('error', line, at);
}

function bitOf(code: number): number {
  if (code < 128) return classOf[code]!;
  return code <= lastLatin && code >= 0xc0 ? bits.letter : 0;
}

/** One text being read. Every character is looked at once; only words with a telling one are looked at again. */
class AnchorScan {
  readonly #text: string;
  readonly #said: boolean;
  readonly #sink: AnchorSink;

  constructor(text: string, said: boolean, sink: AnchorSink) {
    this.#text = text;
    this.#said = said;
    this.#sink = sink;
  }

  run(): void {
    const text = this.#text;
    const length = text.length;
    let index = 0;
    while (index < length) {
      let bit = bitOf(text.charCodeAt(index));
      const start = index++;
      if (bit === 0) continue;
      let mask = bit;
      while (index < length && (bit = bitOf(text.charCodeAt(index))) !== 0) {
        mask |= bit;
        index++;
      }
      if ((mask & telling) !== 0) index = Math.max(index, this.#word(start, index, mask));
      else if (mask === commitMask && index - start >= 7 && index - start <= 40)
        this.#sink.add('commit', text.slice(start, index), start);
    }
  }

  /** returns the end of what was read: a link may go on behind its word */
  #word(start: number, wordEnd: number, mask: number): number {
    if ((mask & beyondDots) === 0 && !this.#mayHaveExtension(start, wordEnd)) return wordEnd;
    const text = this.#text;
    const end = trimmedEnd(text, start, wordEnd);
    if ((mask & bits.hash) !== 0) readIssues(text.slice(start, end), start, this.#sink);
    if (end - start > longestAnchor * 4) return wordEnd;
    if ((mask & bits.slash) !== 0 && (mask & bits.colon) !== 0) {
      const link = readLink(text, start, { end, sink: this.#sink });
      if (link !== -1) return link;
    }
    if ((mask & bits.at) !== 0 && this.#said) readHandle(text, start, { end, sink: this.#sink });
    if ((mask & (bits.slash | bits.dot)) !== 0) readPath(text, start, { end, sink: this.#sink });
    return wordEnd;
  }

  /** Most words with a dot are `object.member` or end a sentence: told apart without making a string. */
  #mayHaveExtension(start: number, end: number): boolean {
    const text = this.#text;
    let last = end;
    while (last > start && text.charCodeAt(last - 1) === dotCode) last--;
    const earliest = Math.max(start + 1, last - 1 - longestExtension);
    let dot = last - 1;
    while (dot >= earliest && text.charCodeAt(dot) !== dotCode) dot--;
    if (dot < earliest || dot === last - 1) return false;
    return extensionKeys.has(keyOf(text.charCodeAt(dot + 1), text.charCodeAt(last - 1), last - dot));
  }
}

interface Span {
  end: number;
  sink: AnchorSink;
}

const openers = new Set(['.', '!', '?', ':', '*', '_', '~', '$', '&', '%', '^', '+']);

/** Without the punctuation of the sentence around it. */
function trimmedEnd(text: string, start: number, end: number): number {
  let trimmed = end;
  while (trimmed > start && '.:!?*_~'.includes(text[trimmed - 1]!)) trimmed--;
  return trimmed;
}

function readIssues(word: string, start: number, sink: AnchorSink): void {
  for (const match of word.matchAll(/(?<![&#])#\d{1,9}(?![\w#])/g))
    sink.add('issue', match[0], start + match.index);
}

/** Characters of a link that end words elsewhere. */
const linkEnd = /[^\x21\x23-\x26\x28-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]/g;

function readLink(text: string, start: number, { end, sink }: Span): number {
  const scheme = text.slice(start, Math.min(end, start + 40)).search(/(?:https?|ftp|wss?|ssh|git):\/\//);
  if (scheme === -1) return -1;
  const from = start + scheme;
  linkEnd.lastIndex = from;
  const stop = linkEnd.exec(text)?.index ?? text.length;
  const last = unbalanced(text, from, stop);
  if (last - from > 10 && last - from <= longestAnchor) sink.add('url', text.slice(from, last), from);
  return Math.max(stop, end);
}

/** A closing bracket or mark of the sentence at the end of a link is not part of it. */
function unbalanced(text: string, from: number, stop: number): number {
  let end = stop;
  while (end > from && '.,:;!?)]*_~'.includes(text[end - 1]!)) {
    if (text[end - 1] === ')' && text.slice(from, end).includes('(')) break;
    end--;
  }
  return end;
}

function readHandle(text: string, start: number, { end, sink }: Span): void {
  const match = /^@[A-Za-z][\w-]{1,38}(?:\.[\w-]{1,38})?(?![\w/@])/.exec(
    text.slice(start, Math.min(end, start + 90)),
  );
  if (match) sink.add('handle', match[0], start);
}

const extensions = new Set(
  'py pyi ipynb ts tsx mts cts js jsx mjs cjs rs go java kt kts swift c h cc cpp cxx hpp hh cs rb php pl lua scala clj ex exs erl hs ml r jl dart vue svelte md mdx rst txt adoc tex yaml yml json jsonl json5 toml ini cfg conf env xml html htm css scss sass less sql sh bash zsh fish ps1 bat csv tsv log lock diff patch proto graphql tf gradle cmake mk dockerfile pdf png jpg jpeg gif svg webp mp3 mp4 wav zip gz tgz tar whl jar exe dll so db sqlite parquet pem key crt doc docx xls xlsx ppt pptx'.split(
    ' ',
  ),
);

const dotCode = 46;
const extensionKeys = new Set(
  [...extensions].map((name) => keyOf(name.charCodeAt(0), name.charCodeAt(name.length - 1), name.length + 1)),
);

/** First and last letter, whatever their case, and length. */
function keyOf(first: number, last: number, length: number): number {
  return ((first | 32) << 16) | ((last | 32) << 8) | length;
}

/** Pairs of plain words with a slash that are no path. */
const plainPairs =
  /^(?:and\/or|or\/and|he\/she|she\/he|his\/her|her\/his|s\/he|they\/them|yes\/no|y\/n|n\/a|w\/o|i\/o|true\/false|on\/off|either\/or|km\/h|input\/output|read\/write|pass\/fail|client\/server|am\/pm|tcp\/ip|24\/7)$/i;

/** With a slash, or with a known extension. Fractions, dates, pairs of words and closing tags are no paths. */
function readPath(text: string, start: number, { end, sink }: Span): void {
  if (text[start - 1] === '<') return;
  let from = start;
  while (from < end && openers.has(text[from]!) && !isDotStart(text, from)) from++;
  let to = end;
  // src/app.ts:12:5 and host:path: the place in a file is not part of its name.
  const colon = text.indexOf(':', from);
  if (colon !== -1 && colon < to) to = colon;
  to = trimmedEnd(text, from, to);
  if (to - from < 3 || to - from > longestAnchor) return;
  const word = text.slice(from, to);
  if (isPath(word)) sink.add('path', word, from);
}

/** ./a, ../a, .env and ~/a begin with what ends sentences elsewhere. */
function isDotStart(text: string, from: number): boolean {
  const next = text[from + 1] ?? ' ';
  if (text[from] === '~') return next === '/';
  return text[from] === '.' && (next === '/' || next === '.' || /[a-z]/.test(next));
}

function isPath(word: string): boolean {
  const slash = word.lastIndexOf('/');
  const dot = word.lastIndexOf('.');
  const hasExtension =
    dot > slash &&
    dot > 0 &&
    word.length - dot - 1 <= longestExtension &&
    extensions.has(word.slice(dot + 1).toLowerCase());
  if (slash === -1) return hasExtension && plainName.test(word);
  if (notInPaths.test(word) || plainPairs.test(word)) return false;
  return hasExtension || segments.test(word);
}

const plainName = /^[\w@+-]*[A-Za-z][\w.@+-]*$/;
const notInPaths = /^[^A-Za-z]*$|\/\/|[*?&%$^!#]/;
/** Names of up to 64 characters between slashes; base64 is no path. */
const segments = /^(?:~|[\w.@+~-]{0,64})(?:\/[\w.@+~-]{1,64}){0,40}\/?$/;
