import { expect, test } from 'vitest';
import { findIdentifiers, sample } from '../../apps/evals/src/recall/identifiers.ts';

test('identifiers are found by kind, each once; what is part of an address is no path of its own', () => {
  const text =
    'See https://example.org/a/b?c=1. In src/db/config.ts at 3f2a9c1d: TypeError: x is not a function\nport 8080, 3.14, src/db/config.ts';

  expect(findIdentifiers([text])).toEqual({
    url: ['https://example.org/a/b?c=1'],
    path: ['src/db/config.ts'],
    sha: ['3f2a9c1d'],
    error: ['TypeError: x is not a function'],
    number: ['8080', '3.14'],
  });
});

test('a sample is spread evenly', () => {
  expect(sample([1, 2, 3, 4, 5, 6], 3)).toEqual([1, 3, 5]);
});
