/** The image has the Node that everything runs with, and enough in it to start; nothing else gets into it. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => readFileSync(join(repository, file), 'utf8');
const dockerfile = read('infra/Dockerfile');
const manifest = JSON.parse(read('package.json')) as {
  workspaces: string[];
  dependencies: { node: string };
};

test('its Node is the one that the package `node` brings elsewhere', () => {
  expect(dockerfile).toContain(`\nFROM node:${manifest.dependencies.node}-bookworm-slim AS node\n`);
});

test('any builder makes it: no front end is fetched, no instruction is of one of them only', () => {
  expect(dockerfile).not.toMatch(/^# *syntax|--parents \S+ \S+$|<<|--mount/m);
  expect(dockerfile).toMatch(/^RUN .*cp --parents /m);
});

test('the manifest of every workspace is there before dependencies are installed', () => {
  const [copied] = /^RUN .*cp --parents .*$/m.exec(dockerfile) ?? [];
  expect(manifest.workspaces).toHaveLength(2);
  for (const folder of manifest.workspaces) expect(copied).toContain(` ${folder}/package.json `);
});

test('a file that lies about does not get in: what does is named', () => {
  const [everything, ...lines] = ignoreLines();
  expect(everything).toBe('*');
  expect(lines.filter((line) => !line.startsWith('!'))).toEqual(['**/node_modules', '**/tests', '**/*.log']);
  expect(allowed()).not.toContain('infra');
});

test('it is asked for its health where it listens, whatever a config says', () => {
  expect(dockerfile).toMatch(/^ENV .*\bPORT=8787$/m);
  expect(dockerfile).toMatch(/^EXPOSE 8787$/m);
  expect(dockerfile).toContain('`http://127.0.0.1:${process.env.PORT}/healthz`');
});

test('without a command it says what there is', () => {
  expect(dockerfile).toMatch(/^CMD \["--help"\]$/m);
});

test('what gets in is enough to start and to make the tables', async () => {
  await using database = await createTestDatabase({ migrated: false });
  using image = layImage();

  const printed = await image.run(['migrate', '--json'], { DATABASE_URL: database.url });

  expect(JSON.parse(printed)).toEqual({ applied: expect.any(Number) });
}, 120_000);

function ignoreLines(): string[] {
  return read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Files and folders that the builder sees. */
function allowed(): string[] {
  return ignoreLines().flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
}

/** A folder as the image has it in /app, with the packages that are installed without those of development. */
function layImage() {
  const app = mkdtempSync(join(tmpdir(), 'palimpsest-image-'));
  const getsIn = (path: string) => !['node_modules', 'tests'].includes(basename(path));
  for (const path of allowed())
    cpSync(join(repository, path), join(app, path), { recursive: true, filter: getsIn });
  for (const path of installed()) {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    symlinkSync(join(repository, path), join(app, path));
  }
  cpSync(join(repository, 'node_modules/@palimpsest'), join(app, 'node_modules/@palimpsest'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  return {
    run: async (words: readonly string[], env: Record<string, string>) => {
      const program = entrypoint().map((word) => word.replace('/app/', `${app}/`));
      const { stdout } = await promisify(execFile)(process.execPath, [...program.slice(1), ...words], {
        cwd: app,
        env: { ...env, PALIMPSEST_HOME: app },
      });
      return stdout;
    },
    [Symbol.dispose]: () => rmSync(app, { recursive: true }),
  };
}

/** What `npm ci --omit=dev --omit=optional` installs, for all or for one workspace. */
function installed(): string[] {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { dev?: true; optional?: true; devOptional?: true; link?: true }>;
  };
  return Object.entries(packages).flatMap(([path, { dev, optional, devOptional, link }]) =>
    /^((apps|packages)\/[^/]+\/)?node_modules\/(@[^/]+\/)?[^/]+$/.test(path) &&
    !(dev || optional || devOptional || link)
      ? [path]
      : [],
  );
}

function entrypoint(): string[] {
  const [, words = '[]'] = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile) ?? [];
  return JSON.parse(words) as string[];
}
