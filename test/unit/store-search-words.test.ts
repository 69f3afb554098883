import { expect, test } from 'vitest';
import { searchPieces, searchWords, vectorOf } from '../../packages/store/src/search/tokens.ts';

test('words are letters and digits in lower case, a path is its parts', () => {
  expect(searchWords('See /srv/App-2/store.ts: 3x!')).toEqual([
    'see',
    'srv',
    'app',
    '2',
    'store',
    'ts',
    '3x',
  ]);
});

test('accents and width do not matter', () => {
  expect(searchWords('Café ＣＡＦＥ naïve Straße')).toEqual(['cafe', 'cafe', 'naive', 'straße']);
});

test('text without spaces becomes overlapping pairs and its last character', () => {
  expect(searchWords('東京タワーa')).toEqual(['東京', '京タ', 'タワ', 'ワー', 'ー', 'a']);
});

test('voiced kana keep their marks', () => {
  expect(searchWords('がぎ')).toEqual(['がぎ', 'ぎ']);
});

test('Korean and Arabic are words', () => {
  expect(searchWords('안녕하세요 세계 مرحبا')).toEqual(['안녕하세요', '세계', 'مرحبا']);
});

test('an endless word is cut to what a lexeme takes', () => {
  expect(searchWords('x'.repeat(5000))).toEqual(['x'.repeat(200)]);
});

test('pieces have at most 4,000 characters and overlap by 200', () => {
  const text = Array.from({ length: 2000 }, (_, n) => String(n).padStart(9, '0')).join(' ');

  const pieces = searchPieces(text);

  expect(pieces.map((piece) => piece.length)).toEqual([4000, 4000, 4000, 4000, 4000, 999]);
  expect(pieces[0]?.slice(-200)).toBe(pieces[1]?.slice(0, 200));
});

test('an empty text has no piece', () => {
  expect(searchPieces('')).toEqual([]);
});

test('a vector names its session, its day and the places of its words', () => {
  const said = new Date('2026-11-29T19:20:56Z');

  expect(vectorOf('20261129_192056_1a2b3c4d', 'to be or not to be', said)).toBe(
    "'session:20261129_192056_1a2b3c4d' 'day:2026-11-29' 'to':1 'be':2 'or':3 'not':4 'to':5 'be':6",
  );
});

test('a vector holds the stems of words that are not their own, in the language of the text', () => {
  const said = new Date('2026-11-29T19:20:56Z');

  expect(vectorOf('s', 'we painted houses', said)).toBe(
    "'session:s' 'day:2026-11-29' '~paint' '~hous' 'we':1 'painted':2 'houses':3",
  );
  expect(vectorOf('s', 'die Häuser sind groß', said)).toBe(
    "'session:s' 'day:2026-11-29' '~haus' '~gross' 'die':1 'hauser':2 'sind':3 'groß':4",
  );
});

test('a vector holds the days that a text speaks of, reckoned from the day it was said', () => {
  const said = new Date('2026-11-29T19:20:56Z');

  expect(vectorOf('s', 'yesterday, last May', said)).toBe(
    "'session:s' 'day:2026-11-29' 'day:2026-05' 'day:2026-11-28' '~yesterdai' '~mai' 'yesterday':1 'last':2 'may':3",
  );
});
