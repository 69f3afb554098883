/** `palimpsest config set`, as an operator runs it. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { launch } from '../support/chaos/program.ts';

function aFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-set-'));
  const run = async (words: readonly string[], env: Record<string, string> = {}) => {
    const program = launch({ command: ['apps/cli/src/main.ts', 'config', ...words], env, folder });
    const { code } = await program.ended;
    const plain = (text: string): string => text.replaceAll(folder, 'FOLDER');
    return { code, out: plain(program.output()), error: plain(program.log()) };
  };
  return { folder, run, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

describe('config set', { concurrent: true, timeout: 240_000 }, () => {
  test('the line that the notice of the Codex raise prints makes the file where there is none', async ({
    expect,
  }) => {
    using place = aFolder();

    const set = await place.run(['set', 'compression.codex_gpt55_autoraise', 'false']);

    expect(set).toEqual({
      code: 0,
      out: 'FOLDER/config.yaml: compression.codex_gpt55_autoraise is false from the next start on\n',
      error: '',
    });
    expect(readFileSync(join(place.folder, 'config.yaml'), 'utf8')).toBe(
      'compression:\n  codex_gpt55_autoraise: false\n',
    );
    const show = await place.run(['show']);
    expect(JSON.parse(show.out)).toMatchObject({ compression: { codex_gpt55_autoraise: false } });
  });

  test('in a file that is there, a link and rights included, only the value is another', async ({
    expect,
  }) => {
    using place = aFolder();
    const real = join(place.folder, 'real.yaml');
    writeFileSync(real, '# ours\ncompression:\n  threshold: 0.5   # half\n');
    chmodSync(real, 0o600);
    symlinkSync(real, join(place.folder, 'link.yaml'));

    const set = await place.run(['set', 'compression.threshold', '0.35'], { PALIMPSEST_CONFIG: 'link.yaml' });

    expect(set.code).toBe(0);
    expect(readFileSync(real, 'utf8')).toBe('# ours\ncompression:\n  threshold: 0.35   # half\n');
    expect(statSync(real).mode & 0o777).toBe(0o600);
    expect(readdirSync(place.folder).toSorted()).toEqual(['link.yaml', 'real.yaml']);
  });

  test('a value that is not accepted changes nothing and makes no file', async ({ expect }) => {
    using place = aFolder();

    const set = await place.run(['set', 'compression.threshold', '50']);

    expect(set.code).not.toBe(0);
    expect(set.out + set.error).toContain(
      'FOLDER/config.yaml:2: compression.threshold: 50 is not accepted; allowed: a number from 0 to 1.',
    );
    expect(existsSync(join(place.folder, 'config.yaml'))).toBe(false);
  });
});
