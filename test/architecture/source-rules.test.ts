/** Rules that a look at the files themselves can check. */
import { globSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const longestFile = 300;

/** Files that may be longer, each with its reason. */
const mayBeLonger: Readonly<Record<string, string>> = {};

const sources = globSync('{packages,apps,infra,test}/**/*.{ts,mjs,js,css}', {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
}).map((file) => ({ file, text: readFileSync(`${root}${file}`, 'utf8') }));

test('there are sources to look at', () => {
  expect(sources.length).toBeGreaterThan(100);
});

test('no file is longer than 300 lines', () => {
  const tooLong = sources
    .map(({ file, text }) => ({ file, lines: text.trimEnd().split('\n').length }))
    .filter(({ file, lines }) => lines > longestFile && mayBeLonger[file] === undefined);

  expect(tooLong).toEqual([]);
});

test('the environment is read in main.ts of the apps and nowhere else', () => {
  const readers = sources
    .filter(({ file }) => /^(packages|apps)\//.test(file) && !/^apps\/[^/]+\/src\/main\.ts$/.test(file))
    .filter(({ text }) => /\bprocess\.env\b|from '(node:)?process'/.test(withoutComments(text)))
    .map(({ file }) => `${file}: take the value as an argument; only main.ts reads the environment`);

  expect(readers).toEqual([]);
});

test('no test is switched off or run alone', () => {
  const offenders = sources
    .filter(({ file }) => file.startsWith('test/') && file.endsWith('.test.ts'))
    .filter(({ text }) => /\b(test|it|describe|check)\.(skip|only|todo)\(/.test(withoutComments(text)))
    .map(({ file }) => file);

  expect(offenders).toEqual([]);
});

test('no comment sends its reader to a page that is not in the repository', () => {
  const pages =
    'architecture|compressor|dcp|decisions|fakes|gateway|lcm|operations|providers|prompt-caching-and-codex|session-commands|stack|style';
  const named = new RegExp(`\\b(${pages})\\.md\\b`);

  const offenders = sources
    .filter(({ text }) => named.test(text))
    .map(({ file, text }) => `${file}: write the rule in a few words instead of ${named.exec(text)?.[0]}`);

  expect(offenders).toEqual([]);
});

test('the folders at the top are those of the architecture', () => {
  const known = ['apps', 'infra', 'migrations', 'packages', 'test'];
  const notOurs = ['node_modules', 'data', 'plugins', 'test-output', 'coverage'];

  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !notOurs.includes(entry.name))
    .map((entry) => entry.name);

  expect(folders.sort()).toEqual(known);
});

test('the folders of test are those of the architecture', () => {
  const known = [
    'architecture',
    'chaos',
    'contracts',
    'flow',
    'integration',
    'regression',
    'security',
    'support',
    'unit',
  ];

  const folders = readdirSync(`${root}test`, { withFileTypes: true }).filter((entry) => entry.isDirectory());

  for (const { name } of folders) expect(known).toContain(name);
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}
