import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { readServerVersion } from '@palimpsest/testkit';
import { postgresBinaries } from '../../../../infra/bootstrap/postgres/postgres-binaries.ts';

/** Where the figures were measured. */
export interface Machine {
  cores: number;
  memory_gb: number;
  node: string;
  cpu: string;
  postgres: string;
}

/** `databaseUrl` null: no database was used, and the version is that of the embedded programs. */
export async function describeMachine(databaseUrl: string | null): Promise<Machine> {
  return {
    cores: availableParallelism(),
    memory_gb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    postgres: databaseUrl === null ? embeddedVersion() : await readServerVersion(databaseUrl),
  };
}

/** The first number of `postgres (PostgreSQL) 18.4`. */
function embeddedVersion(): string {
  try {
    const { stdout } = spawnSync(postgresBinaries(undefined).postgres, ['--version'], { encoding: 'utf8' });
    return /\d+(\.\d+)?/.exec(stdout)?.[0] ?? 'unknown';
  } catch {
    return 'not installed';
  }
}
