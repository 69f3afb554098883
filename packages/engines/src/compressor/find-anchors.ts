/*
 * Finds what identifies a thing in a text: #numbers, commit ids, paths, links, handles, error lines. Mechanical and
 * verbatim: nothing is paraphrased. Jumps from sign to sign (a slash, a dot, a number sign) instead of reading every
 * character, so that a megabyte of tool output costs milliseconds.
 */
import { errorLines } from './error-lines.ts';
import { isExtension, isPath, longestPath } from './path-words.ts';

export const anchorKinds = ['issue', 'commit', 'path', 'error', 'url', 'handle'] as const;
export type AnchorKind = (typeof anchorKinds)[number];

export interface AnchorSink {
  /** `at` is where the anchor begins in the text. Anchors come kind by kind, not in the order of the text. */
  add(kind: AnchorKind, anchor: string, at: number): void;
}

/** Name what a text holds. `said`: a person or the model wrote it; handles are looked for only there. */
export function findAnchors(text: string, said: boolean, sink: AnchorSink): void {
  findIssues(text, sink);
  findCommits(text, sink);
  findSlashed(text, sink);
  findFiles(text, sink);
  if (said) findHandles(text, sink);
  for (const { line, at } of errorLines(text)) sink.add('error', line, at);
}

/** ASCII characters that belong to a word; others end it. */
const isWordCode = new Uint8Array(128);
const isHexCode = new Uint8Array(128);
for (let code = 33; code < 127; code++) {
  const char = String.fromCharCode(code);
  isWordCode[code] = /["'`()[\]{}<>|;,=\\]/.test(char) ? 0 : 1;
  isHexCode[code] = /[0-9a-f]/.test(char) ? 1 : 0;
}

/** Letters beyond ASCII belong to words up to Latin Extended; other scripts stand apart from paths. */
const firstLatin = 0xc0;
const lastLatin = 0x24f;

function isInWord(code: number): boolean {
  return code < 128 ? isWordCode[code] === 1 : code >= firstLatin && code <= lastLatin;
}

function isHex(code: number): boolean {
  return code < 128 && isHexCode[code] === 1;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Letter, digit or underscore. */
function isNameCode(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
}

const mostDigits = 9;

function findIssues(text: string, sink: AnchorSink): void {
  for (let at = text.indexOf('#'); at !== -1; at = text.indexOf('#', at + 1)) {
    const before = at > 0 ? text[at - 1]! : ' ';
    let end = at + 1;
    while (isDigit(text.charCodeAt(end))) end++;
    const isWhole = end > at + 1 && end - at - 1 <= mostDigits && !isNameCode(text.charCodeAt(end));
    // &#39; is a character, ##1 a heading.
    if (isWhole && before !== '&' && before !== '#' && text[end] !== '#')
      sink.add('issue', text.slice(at, end), at);
  }
}

const leastCommit = 7;
const mostCommit = 40;

/** Hex digits of both kinds on their own: a plain number or an English word is no commit, nor is a part of a UUID. */
function findCommits(text: string, sink: AnchorSink): void {
  // Every run of seven has a character at one of these places.
  for (let index = leastCommit - 1; index < text.length; index += leastCommit) {
    if (!isHex(text.charCodeAt(index))) continue;
    // A run of seven over this place reaches three to one side at least; most words do not.
    if (!isHex(text.charCodeAt(index - 3)) && !isHex(text.charCodeAt(index + 3))) continue;
    let start = index;
    while (start > 0 && isHex(text.charCodeAt(start - 1))) start--;
    let end = index + 1;
    while (end < text.length && isHex(text.charCodeAt(end))) end++;
    const length = end - start;
    if (length >= leastCommit && length <= mostCommit && standsAlone(text, start, end)) {
      const word = text.slice(start, end);
      if (/\d/.test(word) && /[a-f]/.test(word)) sink.add('commit', word, start);
    }
    // The next place is counted from the end of the run, so that a long one is read once.
    index = Math.max(index, end - 1);
  }
}

function standsAlone(text: string, start: number, end: number): boolean {
  const before = start > 0 ? text.charCodeAt(start - 1) : 32;
  const after = end < text.length ? text.charCodeAt(end) : 32;
  return !joinsWord(before) && !joinsWord(after);
}

function joinsWord(code: number): boolean {
  return isNameCode(code) || code === 45;
}

/** A longer run of characters without a blank is data. */
const longestWord = 1_000;

/** More than `most` characters before `at` when the word is longer. */
function wordStart(text: string, at: number, most: number): number {
  let start = at;
  while (start > 0 && at - start <= most && isInWord(text.charCodeAt(start - 1))) start--;
  return start;
}

function wordEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && isInWord(text.charCodeAt(end))) end++;
  return end;
}

/** Links and paths: every word with a slash. */
function findSlashed(text: string, sink: AnchorSink): void {
  let done = 0;
  for (let at = text.indexOf('/'); at !== -1; at = text.indexOf('/', done)) {
    const start = Math.max(done, wordStart(text, at, longestWord));
    const end = wordEnd(text, at);
    done = Math.max(end, at + 1);
    if (end - start > longestWord) continue;
    const link = readLink(text, { start, end }, sink);
    if (link === -1) readPath(text, { start, end }, sink);
    else done = Math.max(done, link);
  }
}

interface Span {
  start: number;
  end: number;
}

const scheme = /(?:https?|ftp|wss?|ssh|git):\/\//;
/** A character that no link holds. */
const linkEnd = /[^\x21\x23-\x26\x28-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]/g;

/** returns where the link ends in the text, -1 when the word is none */
function readLink(text: string, { start, end }: Span, sink: AnchorSink): number {
  const word = text.slice(start, end);
  const found = word.includes('://') ? scheme.exec(word) : null;
  if (!found) return -1;
  const from = start + found.index;
  linkEnd.lastIndex = from;
  const stop = linkEnd.exec(text)?.index ?? text.length;
  const last = withoutMarks(text, from, stop);
  if (last - from > 10 && last - from <= longestPath) sink.add('url', text.slice(from, last), from);
  return stop;
}

/** A closing bracket or mark of the sentence at the end of a link is not part of it. */
function withoutMarks(text: string, from: number, stop: number): number {
  let end = stop;
  while (end > from && '.,:;!?)]*_~'.includes(text[end - 1]!)) {
    if (text[end - 1] === ')' && text.slice(from, end).includes('(')) break;
    end--;
  }
  return end;
}

/** A word with a slash; src/app.ts:12:5 and host:path: the place in a file is not part of its name. */
function readPath(text: string, { start, end }: Span, sink: AnchorSink): void {
  if (text[start - 1] === '<') return;
  let from = start;
  while (from < end && '.!?:*_~$&%^+'.includes(text[from]!) && !isDotStart(text, from)) from++;
  let to = end;
  for (let index = from; index < to; index++) if (text.charCodeAt(index) === 58) to = index;
  while (to > from && '.:!?*_~'.includes(text[to - 1]!)) to--;
  if (to - from < 3 || to - from > longestPath) return;
  const word = text.slice(from, to);
  if (isPath(word)) sink.add('path', word, from);
}

/** ./a, ../a, .env and ~/a begin with what ends sentences elsewhere. */
function isDotStart(text: string, from: number): boolean {
  const next = text[from + 1] ?? ' ';
  if (text[from] === '~') return next === '/';
  return text[from] === '.' && (next === '/' || next === '.' || /[a-z]/.test(next));
}

const longestName = 160;

/** Names with a known extension and without a slash; most dots are `object.member` or end a sentence. */
function findFiles(text: string, sink: AnchorSink): void {
  let next = 0;
  for (let dot = text.indexOf('.'); dot !== -1; dot = text.indexOf('.', next)) {
    next = dot + 1;
    if (!isExtension(text, dot + 1)) continue;
    const start = wordStart(text, dot, longestName);
    if (dot - start > longestName) {
      // Every later dot of this word is as far from its beginning.
      next = wordEnd(text, dot);
      continue;
    }
    let end = dot + 1;
    while (isNameCode(text.charCodeAt(end))) end++;
    const word = end - start <= longestName ? text.slice(start, end).replace(/^[:*_~.+$&%^!?]+/, '') : '';
    if (word !== '' && !word.includes('/') && !/[/.]/.test(afterName(text, end)) && isPath(word))
      sink.add('path', word, end - word.length);
  }
}

/** What goes on behind a name: `a.py/b` is read at its slash, `a.tar.gz` at its last dot. */
function afterName(text: string, end: number): string {
  const next = text[end] ?? ' ';
  return next === '.' && !isNameCode(text.charCodeAt(end + 1)) ? ' ' : next;
}

const handle = /@[A-Za-z][\w-]{1,38}(?:\.[\w-]{1,38})?(?![\w/@])/y;

function findHandles(text: string, sink: AnchorSink): void {
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    // ada@example.org is an address.
    if (at > 0 && isInWord(text.charCodeAt(at - 1))) continue;
    handle.lastIndex = at;
    const match = handle.exec(text);
    if (match) sink.add('handle', match[0], at);
  }
}
