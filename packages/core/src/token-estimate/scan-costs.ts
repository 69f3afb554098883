import type { CharacterClass } from './character-classes.ts';
import { isId, isPunctuation, isWord, type ScanState } from './scan-states.ts';

/*
 * Tokens of one more character, by what stood before it. The weights were fitted by non-negative least squares on the
 * relative error against o200k_base, with a pull towards what the tokenizer's rules say, over some 3,500 pieces of 80
 * kinds: chat, manuals, source code, diffs, JSON, logs, listings, hashes, 34 languages and emoji. None of the texts
 * that the estimate bench measures was among them.
 */

/** A letter of a word costs little: words of the vocabulary are one token, longer ones are cut. By letters so far. */
const freeWordLetter = steps([5, 0.033], [9, 0.041], [13, 0.596], [16, 0.571], [Infinity, 0.256]);
const boundWordLetter = steps([5, 0], [9, 0.117], [13, 0.286], [16, 0.4], [Infinity, 0.184]);
const cyrillicLetter = steps([4, 0.158], [7, 0.319], [16, 0.14], [Infinity, 0.276]);
const upperLetter = steps([2, 0.065], [3, 0.123], [Infinity, 0.09]);

/** First character of a run of a script or of symbols, and each further one. */
const scripts = {
  greek: [0.496, 0.383],
  hebrew: [0.449, 0.46],
  arabic: [0.518, 0.34],
  devanagari: [0.267, 0.419],
  indic: [1.198, 0.3],
  southEast: [0.939, 0.433],
  caucasian: [0.578, 0.34],
  hiragana: [0.722, 0.51],
  katakana: [0.703, 0.592],
  han: [1.165, 0.759],
  hangul: [0.834, 0.663],
  wideMark: [0.588, 0.907],
  typeset: [1.121, 0.572],
  joiner: [0.748, 0.935],
  symbol: [0.788, 0.809],
  other: [1.004, 1.004],
} as const;

/** Tokens of `character` after `state`, >= 0. */
export function costOf(state: ScanState, character: CharacterClass): number {
  switch (character) {
    case 'lower':
      return lowerCost(state);
    case 'upper':
      return upperCost(state);
    case 'digit':
      return digitCost(state);
    case 'blank':
    case 'tab':
      return blankCost(state, character);
    case 'newline':
      return newlineCost(state);
    case 'joint':
    case 'pause':
    case 'mark':
      return punctuationCost(state, character);
    case 'accented':
      return isWord(state) || state.kind === 'accentedWord' || isOneUpper(state) ? 0.28 : 0.159;
    case 'cyrillic':
      return state.kind === 'cyrillic' ? cyrillicLetter(state.run) : 0.774;
    case 'pairOfPictures':
      return 1.825;
    case 'pairOfFaces':
      return 2.161;
    case 'pairOfNewFaces':
      return 2.004;
    case 'pairOther':
      return 2.864;
    case 'pairEnd':
      return 0;
    default:
      return scripts[character][state.kind === character ? 1 : 0];
  }
}

function lowerCost(state: ScanState): number {
  switch (state.kind) {
    case 'freeWord':
      return freeWordLetter(state.run);
    case 'boundWord':
      return boundWordLetter(state.run);
    case 'accentedWord':
      return 0.538;
    case 'upper':
      return isOneUpper(state) ? 0.08 : 0.153;
    case 'idLower':
      return 0.049;
    case 'idUpper':
    case 'idDigit':
      return 0.874;
    case 'digit':
      return 0.786;
    case 'joint':
      return 0.54;
    case 'pause':
      return 0.359;
    case 'mark':
      return 0.678;
    case 'marks':
      return 1.258;
    case 'newline':
      return 0.85;
    default:
      return isBlank(state) || state.kind === 'start' ? 0.88 : 0.937;
  }
}

function upperCost(state: ScanState): number {
  if (state.kind === 'upper') return upperLetter(state.run);
  if (state.kind === 'idUpper') return 0.797;
  if (isId(state) || state.kind === 'digit') return 0.739;
  if (isWord(state)) return state.run > 2 ? 0.698 : 0.829;
  if (isPunctuation(state)) return 0.722;
  return isBlank(state) || state.kind === 'newline' || state.kind === 'start' ? 0.901 : 1.293;
}

/** Digits go in groups of three, and a blank never belongs to a number. */
function digitCost(state: ScanState): number {
  if ((state.kind === 'digit' || state.kind === 'idDigit') && state.run < 3) return 0;
  if (isId(state)) return 1.172;
  if (isWord(state) || state.kind === 'upper') return 1.178;
  if (state.kind === 'blank' || state.kind === 'indent') return 2.335;
  return isBlank(state) ? 1.959 : 1.039;
}

function blankCost(state: ScanState, character: 'blank' | 'tab'): number {
  switch (state.kind) {
    case 'blank':
      return 1.1;
    case 'newline':
      return 0.201;
    case 'indent':
      return 0.374;
    case 'blanks':
    case 'indents':
      return 0.006;
    default:
      return character === 'tab' ? 1.577 : 0;
  }
}

/** A line's end belongs to the punctuation before it. */
function newlineCost(state: ScanState): number {
  if (state.kind === 'newline') return 0.01;
  if (state.kind === 'pause') return 0.405;
  return isPunctuation(state) ? 0.33 : 1.427;
}

function punctuationCost(state: ScanState, character: 'joint' | 'pause' | 'mark'): number {
  if (state.kind === 'mark' && character === 'mark') return 0;
  if (state.kind === 'marks') return 0.026;
  if (isPunctuation(state)) return 0.314;
  if (isBlank(state)) return 1.193;
  if (state.kind === 'newline') return 0.435;
  if (state.kind === 'digit' && character === 'joint') return 1.114;
  return { joint: 0.753, pause: 0.683, mark: 0.761 }[character];
}

function isBlank({ kind }: ScanState): boolean {
  return kind === 'blank' || kind === 'blanks' || kind === 'indent' || kind === 'indents';
}

function isOneUpper({ kind, run }: ScanState): boolean {
  return kind === 'upper' && run === 1;
}

/** The value of the first step whose limit lies above the run. */
function steps(...table: readonly (readonly [below: number, tokens: number])[]): (run: number) => number {
  return (run) => table.find(([below]) => run < below)?.[1] ?? 0;
}
