/** Who may import whom: the table of the architecture page, checked on every import there is. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { appMayImport, brokenRule, mayImport } from './import-rules.ts';
import { importLines, readImports, type Imports } from './read-imports.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
let read: Imports;

beforeAll(async () => {
  read = await readImports(root);
}, 60_000);

test('the table names every package and every app', () => {
  expect(readdirSync(`${root}packages`).sort()).toEqual(Object.keys(mayImport).sort());
  expect(readdirSync(`${root}apps`).sort()).toEqual(Object.keys(appMayImport).sort());
});

// A reader that reads nothing finds nothing wrong: dependency-cruiser 17 did just that with TypeScript 7.
test('the import reader found every package and app, and hundreds of imports', () => {
  const places = new Set(read.modules.map((module) => module.split('/').slice(0, 2).join('/')));

  for (const name of Object.keys(mayImport)) expect(places).toContain(`packages/${name}`);
  for (const name of Object.keys(appMayImport)) expect(places).toContain(`apps/${name}`);
  expect(read.imports.length).toBeGreaterThan(300);
});

test('the import reader overlooks no import line', () => {
  const known = new Set(
    read.imports.map(({ from, specifier }) => `${from} ${specifier.replace(/^node:/, '')}`),
  );

  const overlooked = read.modules.flatMap((file) =>
    importLines(root, file)
      .map(({ specifier }) => `${file} ${specifier.replace(/^node:/, '')}`)
      .filter((line) => !known.has(line)),
  );

  expect(overlooked).toEqual([]);
});

test('packages and apps import only what their row allows', () => {
  const broken = read.imports.map(brokenRule).filter((sentence) => sentence !== undefined);

  expect(broken).toEqual([]);
});

test('no file imports itself over others', () => {
  expect(read.cycles.map((cycle) => cycle.join(' → '))).toEqual([]);
});

test.each([
  [
    'packages/engines/src/a.ts',
    'packages/store/src/index.ts',
    '@palimpsest/store',
    /put the interface into @palimpsest\/core/,
  ],
  [
    'packages/turn/src/a.ts',
    'packages/core/src/errors.ts',
    '../../core/src/errors.ts',
    /from '@palimpsest\/core'/,
  ],
  ['packages/core/src/a.ts', 'apps/cli/src/index.ts', '@palimpsest/cli', /may import nothing of the apps/],
  [
    'apps/gateway/src/a.ts',
    'apps/worker/src/index.ts',
    '@palimpsest/worker',
    /move what both need into a package/,
  ],
  ['apps/worker/src/a.ts', 'node_modules/bullmq/index.js', 'bullmq', /createQueue of @palimpsest\/queue/],
  ['packages/turn/src/a.ts', 'node_modules/pg/lib/index.js', 'pg', /stores of @palimpsest\/store/],
  ['packages/agent/src/a.ts', 'fs', 'node:fs', /touch no file/],
  [
    'packages/store/src/a.ts',
    'test/support/database.ts',
    '../../../test/support/database.ts',
    /nothing but tests/,
  ],
])('%s importing %s is refused with the way out', (from, to, specifier, sentence) => {
  expect(brokenRule({ from, to, specifier })).toMatch(sentence);
});

test.each([
  ['packages/turn/src/a.ts', 'packages/agent/src/index.ts', '@palimpsest/agent'],
  ['apps/dashboard/src/a.ts', 'apps/gateway/src/index.ts', '@palimpsest/gateway'],
  [
    'apps/cli/src/a.ts',
    'infra/bootstrap/embedded-postgres.ts',
    '../../../infra/bootstrap/embedded-postgres.ts',
  ],
  ['packages/queue/src/a.ts', 'node_modules/ioredis/index.js', 'ioredis'],
  ['packages/store/src/a.ts', 'packages/store/src/b.ts', './b.ts'],
])('%s may import %s', (from, to, specifier) => {
  expect(brokenRule({ from, to, specifier })).toBeUndefined();
});
