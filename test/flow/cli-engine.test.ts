/** palimpsest engine list | use | install, and what a plug-in's name in the config comes to. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runCommandLine } from '../../apps/cli/src/run-command-line.ts';
import { engineText, examplePlugIn } from '../support/plug-ins.ts';

/** A working folder with files; `run` gives the exit code (null: it went well) and what was said. */
function workFolder(files: Readonly<Record<string, string>> = {}) {
  const path = mkdtempSync(join(tmpdir(), 'palimpsest-engine-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return {
    path,
    read: (name: string) => readFileSync(join(path, name), 'utf8'),
    async run(...args: string[]): Promise<{ code: number | null; said: string }> {
      let said = '';
      const take = (text: unknown): boolean => {
        said += String(text);
        return true;
      };
      using _out = vi.spyOn(process.stdout, 'write').mockImplementation(take);
      using _err = vi.spyOn(process.stderr, 'write').mockImplementation(take);
      const code = await runCommandLine({ env: {}, folder: path }, args);
      return { code, said: said.replaceAll(path, 'FOLDER') };
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

const oddIndex = 'plugins/context_engine/odd/index.ts';

test('the list shows ours and the plug-ins beside the config, and which one the config names', async () => {
  using folder = workFolder({
    'config.yaml': 'context: { engine: odd }\n',
    [oddIndex]: engineText('odd'),
    'plugins/context_engine/empty/readme.txt': '',
    'plugins/context_engine/lcm/index.ts': engineText('lcm'),
  });

  expect(await folder.run('engine', 'list')).toEqual({
    code: null,
    said: [
      '  compressor       built-in',
      '  lcm              built-in',
      '  dcp              built-in',
      '  empty            plug-in; its folder holds no index.ts, index.js or index.mjs that calls registerContextEngine',
      '  lcm              plug-in; an engine of ours has this name; it is not used',
      '* odd              plug-in',
      '',
    ].join('\n'),
  });
});

test('use writes the name and leaves every comment where it is', async () => {
  using folder = workFolder({
    'config.yaml': '# mine\ncontext:\n  engine: compressor # for now\nserver: { port: 1234 }\n',
    [oddIndex]: engineText('odd'),
  });

  expect(await folder.run('engine', 'use', 'odd')).toEqual({
    code: null,
    said: 'FOLDER/config.yaml: context.engine is odd from the next start on\n',
  });
  expect(folder.read('config.yaml')).toBe(
    '# mine\ncontext:\n  engine: odd # for now\nserver: { port: 1234 }\n',
  );
});

test('an engine that is not there is not written', async () => {
  using folder = workFolder({ 'config.yaml': 'context: { engine: lcm }\n' });

  const { code, said } = await folder.run('engine', 'use', 'odd');

  expect(code).toBe(1);
  expect(said).toContain('there is no context engine "odd"; allowed: compressor, lcm, dcp.');
  expect(folder.read('config.yaml')).toBe('context: { engine: lcm }\n');
});

test('install copies and activates nothing', async () => {
  using folder = workFolder({ 'config.yaml': '# nothing yet\n' });

  const installed = await folder.run('engine', 'install', examplePlugIn);
  const listed = await folder.run('engine', 'list', '--json');

  expect(installed).toEqual({
    code: null,
    said: 'recent-turns is installed and not in use; to use it: npm run -s palimpsest -- engine use recent-turns, or /engine recent-turns in one chat\n',
  });
  expect(existsSync(join(folder.path, 'plugins/context_engine/recent-turns/index.ts'))).toBe(true);
  expect(folder.read('config.yaml')).toBe('# nothing yet\n');
  expect((JSON.parse(listed.said) as { engines: unknown[] }).engines).toEqual([
    { name: 'compressor', kind: 'built-in', problem: null, active: true },
    { name: 'lcm', kind: 'built-in', problem: null, active: false },
    { name: 'dcp', kind: 'built-in', problem: null, active: false },
    { name: 'recent-turns', kind: 'plug-in', problem: null, active: false },
  ]);
});

test.each([
  ['nowhere', 'FOLDER/nowhere is no folder; name the folder of a plug-in.'],
  ['Odd Name', '"Odd Name" cannot be the name of an engine'],
  ['dcp', 'an engine of ours is named dcp; rename the folder and the engine in it.'],
  ['plain', 'FOLDER/plain holds no index.ts, index.js or index.mjs that calls registerContextEngine.'],
  ['odd', 'FOLDER/plugins/context_engine/odd is there already; remove it first to install another.'],
])('install %s is refused with what to do', async (path, words) => {
  using folder = workFolder({
    'Odd Name/index.ts': engineText('odd'),
    'dcp/index.ts': engineText('dcp'),
    'plain/index.ts': 'export const nothing = 1;\n',
    'odd/index.ts': engineText('odd'),
    [oddIndex]: '// registerContextEngine: the one that is there\n',
  });

  const { code, said } = await folder.run('engine', 'install', path);

  expect(code).toBe(1);
  expect(said).toContain(words);
  expect(folder.read(oddIndex)).toBe('// registerContextEngine: the one that is there\n');
});

test('a config that names an installed plug-in is fine, also a broken one; one that names nothing is refused', async () => {
  using folder = workFolder({
    'config.yaml': 'context: { engine: odd }\n',
    [oddIndex]: 'throw new Error("broken"); // registerContextEngine\n',
  });

  expect(await folder.run('config', 'check')).toEqual({ code: null, said: 'FOLDER/config.yaml: fine\n' });
  rmSync(join(folder.path, 'plugins'), { recursive: true });
  expect((await folder.run('config', 'check')).said).toContain(
    'context.engine: "odd" is not accepted; allowed: compressor, lcm, dcp.',
  );
});
