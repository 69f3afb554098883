/** Another model for a conversation: what follows it, and that a route which cannot be taken changes nothing. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sessionRow, setSession } from '../support/session-row.ts';
import { answering, ask, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const main = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url));

/** A second worker on the same database, with a config of its own and no key. */
async function startWorker(config: string, databaseUrl: string): Promise<{ code: number; error: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-route-'));
  writeFileSync(join(folder, 'config.yaml'), config);
  const options = { env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, PORT: '0' }, cwd: folder };
  try {
    return await new Promise((resolve) => {
      const child = execFile(process.execPath, [main, 'worker'], options, (_failed, _out, error) =>
        resolve({ code: child.exitCode ?? -1, error }),
      );
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('T9 a route that is refused leaves rests, strikes, counts and the rest of the session as they were', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000 });
  await talk(world, 2);
  await setSession(world, `cooldown_until = '2050-01-01', fallback_streak = 1, ineffective_streak = 1`);
  const { rest_seconds: _soon, ...before } = await sessionRow(world);

  const refused = await startWorker('model: {provider: openai, name: gpt-5.5}\n', world.databaseUrl);

  expect(refused.code).toBe(1);
  expect(refused.error).toContain('OPENAI_API_KEY is not set');
  const { rest_seconds: _later, ...after } = await sessionRow(world);
  expect(after).toEqual(before);
  await talk(world, 1);
  expect(await sessionRow(world)).toMatchObject({ model: before['model'], fallback_streak: 1 });
}, 60_000);

test('T9 a /model that cannot be served leaves the session as it was', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000 });
  await talk(world, 2);
  await setSession(world, `cooldown_until = '2050-01-01', fallback_streak = 1, ineffective_streak = 1`);
  const before = await compactionStateOf(world);

  const answer = await ask(world, '/model gpt-5.5');

  expect(answer).toContain('Nothing is changed');
  expect(await compactionStateOf(world)).toEqual(before);
}, 60_000);

test('T6 T7 the share of a model is taken at each switch, and the global one where no key fits', async () => {
  await using world = await openTurnWorld({
    script: answering(),
    window: 600_000,
    config: 'compression: {threshold: 0.5, model_thresholds: {claude: 0.6, claude-opus: 0.8}}',
  });
  await talk(world, 1);
  const borderNow = async (): Promise<string> =>
    /condensed at ([\d,]+ of [\d,]+) tokens/.exec(await ask(world, '/status'))![1]!;

  const first = await borderNow();
  await ask(world, '/model claude-opus-5');
  const opus = await borderNow();
  await ask(world, '/model default');

  expect([first, await borderNow()]).toEqual(['360,000 of 600,000', '360,000 of 600,000']);
  // The table's window: the config's is that of its own model.
  expect(opus).toBe('800,000 of 1,000,000');
}, 60_000);

/** What compaction keeps on the session row; a command of the person changes its other columns. */
async function compactionStateOf(world: TurnWorld): Promise<Record<string, unknown>> {
  const row = await sessionRow(world);
  const names = Object.keys(row).filter((name) =>
    /^(?:model|wanted_|cooldown|.*streak|estimate_ratio|last_.*tokens|system_|compaction_count|probe)/.test(
      name,
    ),
  );
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}
