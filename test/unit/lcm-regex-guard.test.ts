import { expect, test } from 'vitest';
import { guardRegex, looksLikeRegex } from '../../packages/store/src/lcm/regex-guard.ts';

test.each([
  [String.raw`error \d{3}`, String.raw`error \d{3}`],
  [String.raw`\bdeploy(ed)?\b`, String.raw`\ydeploy(?:ed)?\y`],
  ['(?:cat|dog)s', '(?:cat|dog)s'],
  ['[a-z_]+@[^ ]+', '[a-z_]+@[^ ]+'],
  ['a{b}', String.raw`a\{b\}`],
  ['[[x]', String.raw`[\[x]`],
  [String.raw`\x41\u4e2d`, String.raw`\u0041\u4e2d`],
  [String.raw`a\/b\.ts$`, String.raw`a\/b\.ts$`],
  ['(ab){2,5}?c', '(?:ab){2,5}?c'],
  ['(ab+c)', '(?:ab+c)'],
  ['東京|大阪', '東京|大阪'],
])('%s is run as %s', (pattern, postgres) => {
  expect(guardRegex(pattern)).toEqual({ kind: 'regex', postgres });
});

test.each([
  ['(a+)+$', 'unsafe_regex'],
  ['(a*)*', 'unsafe_regex'],
  ['((ab+)c)*', 'unsafe_regex'],
  ['(a|b)*c', 'unsafe_regex'],
  ['(x|y){2,}', 'unsafe_regex'],
  [String.raw`(a)\1`, 'unsafe_regex'],
  ['(?=secret)', 'unsafe_regex'],
  ['(?<!a)b', 'unsafe_regex'],
  ['(?<name>a)', 'unsafe_regex'],
  ['(?i)a', 'unsafe_regex'],
  ['a{1,1000}', 'unsafe_regex'],
  ['(a', 'bad_regex'],
  ['a)', 'bad_regex'],
  ['*a', 'bad_regex'],
  ['a**', 'bad_regex'],
  ['[a', 'bad_regex'],
  ['[]', 'bad_regex'],
  [String.raw`a\q`, 'bad_regex'],
  ['a\\', 'bad_regex'],
  ['a{3,1}', 'bad_regex'],
  ['  ', 'empty_query'],
  ['a'.repeat(501), 'query_too_long'],
])('%s is refused: %s', (pattern, reason) => {
  expect(guardRegex(pattern)).toEqual({ kind: 'refused', reason });
});

test.each(['err|warn', 'a.*b', '[a-z]x', '[^a]', String.raw`\bword`, '^start', 'end$', String.raw`\d`])(
  '%s in a full-text query looks like a regular expression',
  (query) => {
    expect(looksLikeRegex(query)).toBe(true);
  },
);

test.each([
  'two words',
  'list[0]',
  'price $5',
  'a AND b',
  'C++',
  '"a.*b" quoted',
  'what?',
  'src/db.ts:12',
  '2^8',
])('%s is plain text', (query) => {
  expect(looksLikeRegex(query)).toBe(false);
});
