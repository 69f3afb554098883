import { estimateOverhead, estimateParts, estimateTokens } from '@palimpsest/core';
import { expect, test } from 'vitest';

/** Counted with o200k_base; the estimate of so short a text may be two off, or a sixth of a long one. */
const counted: readonly (readonly [text: string, tokens: number])[] = [
  ['', 0],
  ['hello', 1],
  ['Hello, world!', 4],
  ['The quick brown fox jumps over the lazy dog.', 10],
  ['const total = items.reduce((sum, item) => sum + item.price, 0);', 19],
  ['{"id":12345,"name":"item","tags":["a","b"]}', 17],
  ['2026-03-02T09:14:07.120Z WARN [pool] connection 10.0.3.7:5432 refused', 32],
  ['これは日本語の文章です。', 7],
  ['我们明天下午三点开会。', 9],
  ['Привет, как у тебя дела сегодня?', 9],
  ['🎉🎂🥳', 6],
  ['    return null;', 4],
];

test.each(counted)('%j is estimated near its real count', (text, tokens) => {
  expect(Math.abs(estimateTokens(text) - tokens)).toBeLessThanOrEqual(Math.max(2, tokens / 6));
});

test('A44 Chinese, kana, Hangul, rare characters and emoji weigh several times what a Latin letter weighs', () => {
  const perCharacter = (text: string): number => estimateTokens(text) / [...text].length;
  const latin = perCharacter('The ferry leaves at nine from the old pier. '.repeat(25));

  expect(latin).toBeGreaterThan(0.15);
  expect(latin).toBeLessThan(0.3);
  // Real counts of o200k_base lie between 0.6 and 1 for the first three; four letters a token would say 0.25.
  for (const text of ['我们明天早上九点', 'ひらがなとカタカナを', '배는아침아홉시에'])
    expect(perCharacter(text.repeat(100))).toBeGreaterThan(latin * 2);
  for (const text of ['🦊🍕🚢', '𠀀𠁀𠂀']) expect(perCharacter(text.repeat(100))).toBeGreaterThan(1.5);
  expect(Number.isInteger(estimateTokens('漢字とkana'))).toBe(true);
});

test('a run of one letter is linear and never free', () => {
  const short = estimateTokens('a'.repeat(10_000));
  const long = estimateTokens('a'.repeat(1_000_000));

  expect(short).toBeGreaterThan(1_000);
  expect(long / short).toBeCloseTo(100, 0);
});

test.each(['\u001b[31m', '\u0000', '\ud83d', '\udc00', '\t', '\u2028', '\ufeff'])(
  'odd characters (%j) are counted and the scan goes on',
  (text) => {
    const once = estimateTokens(text.repeat(100));

    expect(once).toBeLessThanOrEqual(600);
    expect(estimateTokens(`${text.repeat(100)} end`)).toBeGreaterThanOrEqual(once);
  },
);

test('blanks in a long run are nearly free', () => {
  expect(estimateTokens(' '.repeat(1_000))).toBeLessThan(20);
});

test('a sealed item of a provider costs by a capped rate, a thought by its text', () => {
  const sealed = (length: number) => ({
    type: 'sidecar' as const,
    issuer: 'x',
    item: { type: 'reasoning', encrypted_content: 'A'.repeat(length) },
  });
  const thought = {
    type: 'sidecar' as const,
    issuer: 'x',
    item: { type: 'thinking', thinking: 'hello', signature: 'S'.repeat(4_000) },
  };

  // 4 of framing each: 800 / 8, the cap of 4,000, one word.
  expect([sealed(800), sealed(1_000_000), thought].map((part) => estimateParts([part]))).toEqual([
    104, 4_004, 5,
  ]);
});

test('the estimate of a request counts system prompt and tool schemas', () => {
  const tool = {
    name: 'look_up',
    description: 'Look a word up in the dictionary.',
    parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  };

  const without = estimateOverhead(['You are a librarian.'], []);
  const withTool = estimateOverhead(['You are a librarian.'], [tool]);

  expect(without).toBeGreaterThanOrEqual(8);
  expect(without).toBeLessThanOrEqual(11);
  expect(withTool - without).toBeGreaterThan(30);
  expect(withTool - without).toBeLessThan(70);
});
