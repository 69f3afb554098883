/**
 * Which regular expressions are run: those that cannot take long and mean the same in JavaScript, which models write, and in
 * Postgres, which runs them. What is translated here: `\b` is `\y` there, `{` and `[` need a backslash where they are literal.
 */

export type GuardedRegex =
  | { kind: 'regex'; postgres: string }
  | { kind: 'refused'; reason: 'empty_query' | 'query_too_long' | 'unsafe_regex' | 'bad_regex' };

const maxCharacters = 500;
/** Postgres knows no greater count. */
const maxRepeats = 255;

interface Group {
  hasQuantifier: boolean;
  hasAlternation: boolean;
}

interface Reading {
  source: string;
  at: number;
  out: string[];
  groups: Group[];
  /** What a quantifier would repeat: nothing, one character or class, or a whole group. */
  atom: 'none' | 'single' | Group;
}

class Refused extends Error {
  readonly reason: 'unsafe_regex' | 'bad_regex';

  constructor(reason: 'unsafe_regex' | 'bad_regex') {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Refused: over 500 characters, a quantifier over a group that holds a quantifier or an alternation, back references, looking
 * around, flags, and what JavaScript does not take.
 */
export function guardRegex(pattern: string): GuardedRegex {
  if (pattern.trim() === '') return { kind: 'refused', reason: 'empty_query' };
  if (pattern.length > maxCharacters) return { kind: 'refused', reason: 'query_too_long' };
  try {
    return { kind: 'regex', postgres: translate(pattern) };
  } catch (thrown) {
    if (thrown instanceof Refused) return { kind: 'refused', reason: thrown.reason };
    throw thrown;
  }
}

function translate(pattern: string): string {
  const reading: Reading = {
    source: pattern,
    at: 0,
    out: [],
    groups: [{ hasQuantifier: false, hasAlternation: false }],
    atom: 'none',
  };
  while (reading.at < pattern.length) step(reading);
  if (reading.groups.length !== 1) throw new Refused('bad_regex');
  return reading.out.join('');
}

function step(reading: Reading): void {
  const character = reading.source[reading.at] ?? '';
  switch (character) {
    case '\\':
      return readEscape(reading);
    case '[':
      return readClass(reading);
    case '(':
      return openGroup(reading);
    case ')':
      return closeGroup(reading);
    case '|':
      top(reading).hasAlternation = true;
      return take(reading, '|', 'none');
    case '*':
    case '+':
    case '?':
      return readQuantifier(reading, character, character === '?' ? 1 : 2);
    case '{':
      return readBraces(reading);
    case '^':
    case '$':
      return take(reading, character, 'none');
    default:
      return take(reading, character === '}' || character === ']' ? `\\${character}` : character, 'single');
  }
}

function top(reading: Reading): Group {
  return reading.groups.at(-1) as Group;
}

function take(reading: Reading, out: string, atom: Reading['atom']): void {
  reading.out.push(out);
  reading.at += 1;
  reading.atom = atom;
}

function readEscape(reading: Reading): void {
  const rest = reading.source.slice(reading.at + 1);
  const letter = rest[0];
  if (letter === undefined) throw new Refused('bad_regex');
  if (/[1-9k]/.test(letter)) throw new Refused('unsafe_regex');
  const code = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/.exec(rest);
  if (code) {
    reading.out.push(`\\u${(code[1] ?? code[2] ?? '').padStart(4, '0')}`);
    reading.at += 1 + code[0].length;
    reading.atom = 'single';
    return;
  }
  reading.at += 1;
  if (letter === 'b' || letter === 'B') return take(reading, letter === 'b' ? '\\y' : '\\Y', 'none');
  if (/[dDwWsSntrfv]/.test(letter)) return take(reading, `\\${letter}`, 'single');
  if (/[0-9A-Za-z]/.test(letter)) throw new Refused('bad_regex');
  take(reading, `\\${letter}`, 'single');
}

/** A class: ranges, escapes and literals, nothing that Postgres reads as a name. */
function readClass(reading: Reading): void {
  const found = /^\[(\^?)((?:\\.|[^\]\\])+)\]/su.exec(reading.source.slice(reading.at));
  if (!found) throw new Refused('bad_regex');
  const [whole, negation = '', body = ''] = found;
  const members = body.replaceAll(/\\(.)|(\[)/gsu, (_, escaped: string | undefined) => {
    if (escaped === undefined) return '\\[';
    if (/[dwsntrfv]/.test(escaped)) return `\\${escaped}`;
    if (/[0-9A-Za-z]/.test(escaped)) throw new Refused('bad_regex');
    return `\\${escaped}`;
  });
  reading.out.push(`[${negation}${members}]`);
  reading.at += whole.length;
  reading.atom = 'single';
}

function openGroup(reading: Reading): void {
  const rest = reading.source.slice(reading.at);
  const isPlain = rest.startsWith('(?:');
  if (!isPlain && rest.startsWith('(?')) throw new Refused('unsafe_regex');
  reading.groups.push({ hasQuantifier: false, hasAlternation: false });
  reading.out.push('(?:');
  reading.at += isPlain ? 3 : 1;
  reading.atom = 'none';
}

function closeGroup(reading: Reading): void {
  if (reading.groups.length === 1) throw new Refused('bad_regex');
  const group = reading.groups.pop() as Group;
  // What repeats inside repeats for whoever holds it too.
  if (group.hasQuantifier) top(reading).hasQuantifier = true;
  if (group.hasAlternation) top(reading).hasAlternation = true;
  take(reading, ')', group);
}

function readQuantifier(reading: Reading, text: string, most: number): void {
  const { atom } = reading;
  if (atom === 'none') throw new Refused('bad_regex');
  if (atom !== 'single' && (atom.hasQuantifier || atom.hasAlternation)) throw new Refused('unsafe_regex');
  if (most > 1) top(reading).hasQuantifier = true;
  const isLazy = reading.source[reading.at + text.length] === '?';
  reading.out.push(isLazy ? `${text}?` : text);
  reading.at += text.length + (isLazy ? 1 : 0);
  reading.atom = 'none';
}

function readBraces(reading: Reading): void {
  const found = /^\{(\d+)(?:(,)(\d*))?\}/.exec(reading.source.slice(reading.at));
  if (!found) return take(reading, '\\{', 'single');
  const [whole, least = '', comma, most = ''] = found;
  const counts = [Number(least), Number(most || least)];
  if (Math.max(...counts) > maxRepeats) throw new Refused('unsafe_regex');
  if (most !== '' && Number(most) < Number(least)) throw new Refused('bad_regex');
  readQuantifier(reading, whole, comma === undefined || most !== '' ? Math.max(...counts) : maxRepeats);
}

/**
 * Whether a full-text query looks like a regular expression, so that the asker is told to switch the mode instead of getting
 * nothing: alternation, `.*`, classes with a range or negation, anchors, `\b` and the like. Quoted phrases are text.
 */
export function looksLikeRegex(query: string): boolean {
  const bare = query.replaceAll(/"[^"]*"/g, ' ').trim();
  return (
    /\\[bBdDwWsS]/.test(bare) ||
    /\.[*+]/.test(bare) ||
    /\[\^|\[[^\]]*\w-\w[^\]]*\]/.test(bare) ||
    /[^\s|]\|[^\s|]/.test(bare) ||
    /^\^\S|\S\$$/.test(bare)
  );
}
