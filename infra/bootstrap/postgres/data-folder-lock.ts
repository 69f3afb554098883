/** One owner of a data folder at a time, on one machine. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { GatewayError } from '@palimpsest/core';

const sqliteBusy = 5;

/** A held lock; `release` gives the folder back. The kernel gives it back too when the process dies. */
export interface DataFolderLock {
  release(): void;
}

/**
 * Become the owner of a data folder, which is created (mode 0700) if it is not there.
 *
 * The lock is SQLite's own kernel lock (fcntl) on the file `lock`: Node offers no flock, and a file that holds
 * a process id stays behind after kill -9 and lies once the id is used again.
 *
 * throws  data_folder_in_use when another process holds it, with that process's id
 */
export function lockDataFolder(dataDir: string): DataFolderLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const ownerFile = join(dataDir, 'owner.json');
  const lock = new DatabaseSync(join(dataDir, 'lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (thrown) {
    lock.close();
    throw lockError(dataDir, ownerFile, thrown);
  }
  writeFileSync(ownerFile, `${JSON.stringify({ pid: process.pid })}\n`, { mode: 0o600 });
  return { release: () => lock.close() };
}

function lockError(dataDir: string, ownerFile: string, thrown: unknown): GatewayError {
  if (thrown instanceof Error && 'errcode' in thrown && thrown.errcode === sqliteBusy) {
    return new GatewayError(
      'data_folder_in_use',
      `the data folder ${dataDir} is in use by another process${ownerOf(ownerFile)}; ` +
        'stop that one first, or start this one in another folder',
      { cause: thrown },
    );
  }
  return new GatewayError(
    'database_unavailable',
    `the data folder ${dataDir} cannot be locked; use a folder on a local disk that this user may write to`,
    { cause: thrown },
  );
}

function ownerOf(ownerFile: string): string {
  try {
    const owner: unknown = JSON.parse(readFileSync(ownerFile, 'utf8'));
    const pid = typeof owner === 'object' && owner !== null && 'pid' in owner ? owner.pid : undefined;
    return typeof pid === 'number' ? ` (${pid})` : '';
  } catch {
    return ''; // Only the number is missing then; the lock itself is certain.
  }
}
