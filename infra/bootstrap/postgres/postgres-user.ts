/** The OS user that Postgres runs as. Postgres refuses to run as root. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { GatewayError } from '@palimpsest/core';

/** Numeric ids to switch to; undefined = run as the user we are. */
export type OsUser = { readonly uid: number; readonly gid: number } | undefined;

/**
 * Choose the user for the database files of `clusterDir`.
 *
 * Only root switches. Files that exist already keep their owner; for new ones: `palimpsest` or `postgres` if the
 * machine has one, else `palimpsest` is created, else (read-only /etc) `nobody`.
 *
 * throws  database_unavailable when no user is found, or when the files belong to somebody else and we are not root
 */
export function postgresUser(clusterDir: string, log: (line: string) => void): OsUser {
  const owner = ownerOf(clusterDir);
  const me = process.getuid?.() ?? -1;
  if (me !== 0) return checkOwner(clusterDir, owner, me);
  if (owner !== undefined && owner.uid !== 0) return owner;
  return lookUp('palimpsest') ?? lookUp('postgres') ?? create(log) ?? lookUp('nobody') ?? noUser();
}

function ownerOf(path: string): OsUser {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? undefined : { uid: stat.uid, gid: stat.gid };
}

function checkOwner(clusterDir: string, owner: OsUser, me: number): OsUser {
  if (owner === undefined || owner.uid === me) return undefined;
  throw new GatewayError(
    'database_unavailable',
    `the database files in ${clusterDir} belong to user id ${owner.uid}, this process runs as ${me}; ` +
      'start it as root or as that user, or change the owner of the files',
  );
}

function lookUp(name: string): OsUser {
  const uid = numberFrom('id', ['-u', name]);
  const gid = numberFrom('id', ['-g', name]);
  return uid === undefined || gid === undefined || uid === 0 ? undefined : { uid, gid };
}

function numberFrom(command: string, args: readonly string[]): number | undefined {
  const result = spawnSync(command, args, { encoding: 'utf8' });
  return result.status === 0 ? Number(result.stdout) : undefined;
}

function create(log: (line: string) => void): OsUser {
  const made = spawnSync('useradd', [
    '--system',
    '--no-create-home',
    '--shell',
    '/usr/sbin/nologin',
    'palimpsest',
  ]);
  if (made.status === 0) log('created the OS user palimpsest for the database, which may not run as root');
  return made.status === 0 ? lookUp('palimpsest') : undefined;
}

function noUser(): never {
  throw new GatewayError(
    'database_unavailable',
    'Postgres may not run as root, and no other OS user was found or could be created; ' +
      'run `useradd --system palimpsest`, start as a normal user, or set DATABASE_URL',
  );
}
