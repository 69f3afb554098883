import type { CharacterClass } from './character-classes.ts';

/*
 * What the scan remembers of the text before a character, after the way o200k_base cuts text into pieces:
 *
 *   " word"       freeWord     a blank belongs to the word after it
 *   "(word"       boundWord    a word after anything else; also a fragment of camelCase
 *   "a3F9"        id…          letters and digits in turn: ids, hashes, base64
 *   "1234567"     digit        groups of three
 *   ");"          marks        runs of punctuation are few tokens
 *   "\n    x"     indent(s)    blanks after a line's end
 */

/** How many steps of a run the scan tells apart; the last one stands for all longer runs. */
export const runsOfKind = {
  start: 1,
  blank: 1,
  blanks: 1,
  newline: 1,
  indent: 1,
  indents: 1,
  joint: 1,
  pause: 1,
  mark: 1,
  marks: 1,
  digit: 3,
  upper: 3,
  freeWord: 16,
  boundWord: 16,
  accentedWord: 1,
  idLower: 6,
  idUpper: 1,
  idDigit: 3,
  cyrillic: 16,
  greek: 1,
  hebrew: 1,
  arabic: 1,
  devanagari: 1,
  indic: 1,
  southEast: 1,
  caucasian: 1,
  hiragana: 1,
  katakana: 1,
  han: 1,
  hangul: 1,
  wideMark: 1,
  typeset: 1,
  joiner: 1,
  symbol: 1,
  pair: 1,
  other: 1,
} as const;

export type StateKind = keyof typeof runsOfKind;

/** `run` counts from 1 to the kind's largest. */
export interface ScanState {
  kind: StateKind;
  run: number;
}

const first = (kind: StateKind): ScanState => ({ kind, run: 1 });

/** The state after one more character. */
export function nextState(state: ScanState, character: CharacterClass): ScanState {
  switch (character) {
    case 'lower':
      return afterLower(state);
    case 'upper':
      return afterUpper(state);
    case 'digit':
      return afterDigit(state);
    case 'blank':
    case 'tab':
      return first(afterBlank(state, character));
    case 'newline':
      return first('newline');
    case 'joint':
    case 'pause':
    case 'mark':
      return first(isPunctuation(state) ? 'marks' : character);
    case 'accented':
      return first('accentedWord');
    case 'pairOfPictures':
    case 'pairOfFaces':
    case 'pairOfNewFaces':
    case 'pairOther':
    case 'pairEnd':
      return first('pair');
    default:
      return state.kind === character ? longer(state) : first(character);
  }
}

export function isPunctuation({ kind }: ScanState): boolean {
  return kind === 'joint' || kind === 'pause' || kind === 'mark' || kind === 'marks';
}

export function isId({ kind }: ScanState): boolean {
  return kind === 'idLower' || kind === 'idUpper' || kind === 'idDigit';
}

export function isWord({ kind }: ScanState): boolean {
  return kind === 'freeWord' || kind === 'boundWord';
}

function longer({ kind, run }: ScanState): ScanState {
  return { kind, run: Math.min(run + 1, runsOfKind[kind]) };
}

function afterLower(state: ScanState): ScanState {
  const { kind, run } = state;
  if (isWord(state)) return longer(state);
  // Many lower-case letters in a row are a word again, whatever stood before.
  if (kind === 'idLower') return run < runsOfKind.idLower ? longer(state) : { kind: 'boundWord', run: 8 };
  if (isId(state) || kind === 'digit') return first('idLower');
  if (kind === 'upper') return { kind: 'boundWord', run: 2 };
  if (kind === 'accentedWord') return state;
  return first(kind === 'blank' || kind === 'indent' ? 'freeWord' : 'boundWord');
}

function afterUpper(state: ScanState): ScanState {
  const { kind, run } = state;
  if (isId(state) || kind === 'digit') return first('idUpper');
  // Case that changes after a letter or two is no camelCase but base64.
  if (kind === 'boundWord' && run <= 2) return first('idUpper');
  return kind === 'upper' ? longer(state) : first('upper');
}

function afterDigit(state: ScanState): ScanState {
  const { kind, run } = state;
  if (kind === 'digit' || kind === 'idDigit') return { kind, run: (run % 3) + 1 };
  return first(isId(state) || isWord(state) || kind === 'upper' ? 'idDigit' : 'digit');
}

function afterBlank({ kind }: ScanState, character: 'blank' | 'tab'): StateKind {
  if (kind === 'blank' || kind === 'blanks') return 'blanks';
  if (kind === 'indent' || kind === 'indents') return 'indents';
  if (kind === 'newline') return character === 'tab' ? 'indents' : 'indent';
  return character === 'tab' ? 'blanks' : 'blank';
}
