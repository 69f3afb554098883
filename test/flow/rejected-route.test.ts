/** An operator points the service at a route that cannot be taken: nothing of a running conversation changes. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sessionRow, setSession } from '../support/session-row.ts';
import { answering, talk } from '../support/talk.ts';
import { openTurnWorld } from '../support/turn-world.ts';

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
