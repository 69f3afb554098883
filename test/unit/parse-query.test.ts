import { expect, test } from 'vitest';
import { parseQuery, tellingTerms } from '../../packages/store/src/search/parse-query.ts';

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

test('loosely a word is found by its stem, a longer one also by what begins with it, a quoted one only as it is', () => {
  expect(parseQuery('deploy cats "releases"').map((term) => term.loose)).toEqual([
    `'deploy':* | '~deploi' | '~deploy' | 'deploi'`,
    `'cats':* | '~cat' | '~cats' | 'cat'`,
    `'releases'`,
  ]);
});

test('loosely the parts of a path may stand in any order', () => {
  expect(parseQuery('src/store.ts').map((term) => term.loose)).toEqual([`'src' & 'store' & 'ts'`]);
});

test('an apostrophe ends a word', () => {
  expect(exact("Ada's plan")).toEqual([`'ada'`, `'s'`, `'plan'`]);
});

test('a sentence without spaces is looked for as it is and by its pairs', () => {
  expect(exact('明日東京タワー')).toEqual([
    `'明日' <-> '日東' <-> '東京' <-> '京タ' <-> 'タワ' <-> 'ワー'`,
    `'明日'`,
    `'日東'`,
    `'東京'`,
    `'京タ'`,
    `'タワ'`,
    `'ワー'`,
  ]);
});

test('words that only hold a sentence together are left out where there is another', () => {
  const telling = (query: string) => tellingTerms(parseQuery(query)).map((term) => term.exact);

  expect(telling('What did the baker say, und wo ist das Brot?')).toEqual([`'baker'`, `'say'`, `'brot'`]);
  expect(telling('to be or not to be')).toEqual([`'to'`, `'be'`, `'or'`, `'not'`]);
});
