/** The tables of results name the files that hold down what was found: none of them may go away unnoticed. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

test('every file that the results of the chaos runs name is there', () => {
  const text = readFileSync(new URL('apps/evals/results/chaos.md', root), 'utf8');
  const named = [...text.matchAll(/`(test\/[^`]+\.ts)`/g)].map(([, path]) => path!);

  expect(named.length).toBeGreaterThan(9);
  expect(named.filter((path) => !existsSync(fileURLToPath(new URL(path, root))))).toEqual([]);
});
