import { expect, test } from 'vitest';
import { parseQuery } from '../../packages/store/src/search/parse-query.ts';

const exact = (query: string) => parseQuery(query).map((term) => term.exact);

test('each word is a term of its own and case does not matter', () => {
  expect(exact('Deploy server')).toEqual([`'deploy'`, `'server'`]);
});

test('a quoted phrase is one term', () => {
  expect(exact('find "the red car" now')).toEqual([`'find'`, `'the' <-> 'red' <-> 'car'`, `'now'`]);
});

test('curly and corner quotes quote too', () => {
  expect(exact('“red car” 「blue car」')).toEqual([`'red' <-> 'car'`, `'blue' <-> 'car'`]);
});

test('a quote that is never closed is no phrase', () => {
  expect(exact('"red car')).toEqual([`'red'`, `'car'`]);
});

test('a path is a phrase of its parts', () => {
  expect(exact('src/store.ts')).toEqual([`'src' <-> 'store' <-> 'ts'`]);
});

test('a run of a script without spaces is a phrase of pairs', () => {
  expect(exact('東京タ')).toEqual([`'東京' <-> '京タ'`]);
});

test('a single character of such a script finds pairs that begin with it', () => {
  expect(exact('東')).toEqual([`'東':*`]);
});

test('operators and punctuation alone are nothing to look for', () => {
  expect(exact(`& | ! <-> :* \\ ' "" ()`)).toEqual([]);
});

test('operators inside words are only punctuation', () => {
  expect(exact(`a&b|c!d '); DROP`)).toEqual([`'a' <-> 'b' <-> 'c' <-> 'd'`, `'drop'`]);
});

test('a repeated word is looked for once', () => {
  expect(exact('car Car CAR')).toEqual([`'car'`]);
});

test('loosely a longer word also finds words that begin with it, a short or quoted one does not', () => {
  expect(parseQuery('deploy car "release"').map((term) => term.loose)).toEqual([
    `'deploy':*`,
    `'car'`,
    `'release'`,
  ]);
});
