/** Commands that only look, as an operator runs them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { launch } from '../support/chaos/program.ts';
import { createTestDatabase } from '../support/database.ts';

/** Run a command in a folder of its own with this config.yaml. */
async function palimpsest(
  words: readonly string[],
  given: { env?: Record<string, string>; config?: string } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-look-'));
  if (given.config !== undefined) writeFileSync(join(folder, 'config.yaml'), given.config);
  try {
    const program = launch({ command: ['apps/cli/src/main.ts', ...words], env: { ...given.env }, folder });
    const { code } = await program.ended;
    return { code, out: program.output().replaceAll(folder, 'FOLDER') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('looking', { concurrent: true, timeout: 240_000 }, () => {
  test('--version is that of the package', async ({ expect }) => {
    const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

    const { code, out } = await palimpsest(['--version']);

    expect([code, out]).toEqual([0, `${(JSON.parse(file) as { version: string }).version}\n`]);
  });

  test('config show has the port that holds', async ({ expect }) => {
    const { out } = await palimpsest(['config', 'show'], {
      env: { PORT: '99' },
      config: 'server: {port: 5}\n',
    });

    expect(JSON.parse(out)).toMatchObject({ server: { port: 99 } });
  });

  test('doctor tells a bad config and a bad token as findings and looks at everything else', async ({
    expect,
  }) => {
    await using database = await createTestDatabase();

    const { code, out } = await palimpsest(['doctor', '--json'], {
      env: { DATABASE_URL: database.url, TELEGRAM_BOT_TOKEN: 'mine' },
      config: 'server: {port: 70000}\n',
    });

    const { findings } = JSON.parse(out) as { findings: { what: string; state: string; words: string }[] };
    expect(code).toBe(1);
    expect(findings.map(({ what, state }) => `${what} ${state}`)).toEqual([
      'config problem',
      'telegram problem',
      'model warning',
      'summaries fine',
      'discord fine',
      'database fine',
      'database fine',
      'clock fine',
      'work fine',
      'queue fine',
    ]);
    expect(findings[0]!.words).toBe(
      'FOLDER/config.yaml:1: server.port: 70000 is not accepted; allowed: a whole number from 0 to 65535.',
    );
  });

  test('every command and every option has a word about what it is for', async ({ expect }) => {
    const helps = await Promise.all(
      [[], ['session'], ['access'], ['config'], ['replay'], ['session', 'list']].map((words) =>
        palimpsest([...words, '--help']),
      ),
    );

    for (const { out } of helps)
      for (const line of out.split('\n').filter((text) => /^ {2}\S/.test(text)))
        expect(line).toMatch(/^ {2}\S.* {2,}[^\s(]/);
  });
});
