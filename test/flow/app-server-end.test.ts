/** The worker as a process of its own: the Codex program that holds its conversations does not outlive it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@palimpsest/core';
import { openStore } from '@palimpsest/store';
import { writeFakeCodex } from '@palimpsest/testkit';
import { expect, test, vi } from 'vitest';
import { launch, untilRunning } from '../support/chaos/program.ts';
import { createTestDatabase } from '../support/database.ts';
import { arrive, messageUpdate } from '../support/intake.ts';

/** A program that writes down its process id and is the stand-in then. */
function codexIn(folder: string): { command: string; pidFile: string } {
  const pidFile = join(folder, 'pid');
  const command = join(folder, 'noted-codex');
  const script = `#!/bin/sh\necho $$ >'${pidFile}'\nexec '${writeFakeCodex(folder).command}' "$@"\n`;
  writeFileSync(command, script, { mode: 0o755 });
  return { command, pidFile };
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  "Codex's app server ends with its worker (%s)",
  async (signal) => {
    await using database = await createTestDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'palimpsest-worker-'));
    const { command, pidFile } = codexIn(folder);
    const model = {
      provider: 'openai-codex',
      name: 'gpt-5.5',
      api_mode: 'codex_app_server',
      codex_command: command,
    };
    writeFileSync(
      join(folder, 'config.yaml'),
      JSON.stringify({ model, platforms: { telegram: { allowed_users: ['42'] } } }),
    );
    const worker = launch({
      command: ['apps/cli/src/main.ts', 'worker'],
      env: { DATABASE_URL: database.url, CODEX_HOME: folder },
      folder,
    });
    const store = await openStore({ databaseUrl: database.url, logger: silentLogger, poolSize: 1 });
    try {
      await untilRunning(worker);
      await arrive(store, messageUpdate(1, 'hello'));
      const pid = await vi.waitFor(() => Number(readFileSync(pidFile, 'utf8') || 'none yet'), {
        timeout: 30_000,
      });
      process.kill(pid, 0);

      if (signal === 'SIGKILL') await worker.kill();
      else await worker.stop(signal);

      await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 20_000 });
    } finally {
      await store.close();
      await worker.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  150_000,
);
