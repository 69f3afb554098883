/**
 * The files of one embedded database below a data folder:
 *
 *   data/postgres/       the cluster, owned by the user that Postgres runs as
 *   data/postgres.json   port and password, 0600
 *   data/postgres.log    what the server wrote
 */
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { GatewayError } from '@palimpsest/core';
import { execute } from './execute.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import type { OsUser } from './postgres-user.ts';

/** Role and database of the service. */
const name = 'palimpsest';

/** `durable` for people's messages; `test` trades safety against power loss for speed. */
export type Tuning = 'durable' | 'test';

export interface Cluster {
  readonly dataDir: string;
  readonly clusterDir: string;
  readonly user: OsUser;
  readonly binaries: PostgresBinaries;
  readonly tuning: Tuning;
}

/** What is kept in postgres.json. */
export interface Credentials {
  readonly port: number;
  readonly password: string;
}

/** Bytes of a socket's path that every system takes: 104 on macOS, the closing zero included. */
const longestSocketPath = 103;

/**
 * Address of the server that runs in a data folder: by way of the Unix socket in its folder where there is one (a statement
 * costs half the system time that it does over loopback), with host and port beside it for whoever takes only those.
 */
export function databaseUrl(dataDir: string, { port, password }: Credentials): string {
  const address = `postgres://${name}:${password}@127.0.0.1:${port}/${name}`;
  const folder = join(dataDir, 'postgres');
  const socket = join(folder, `.s.PGSQL.${port}`);
  const isUsable = Buffer.byteLength(socket) <= longestSocketPath && existsSync(socket);
  return isUsable ? `${address}?host=${encodeURIComponent(folder)}` : address;
}

/**
 * The value of `-D`. Run as another user, Postgres is started *in* its folder and told to work there: the folder
 * itself is its own, but the way to it may lead through folders it may not enter (root's home), and the kernel
 * asks for the way only when a path is walked. So the data can stay in ./data without a copy, a mount or a link.
 */
export function dataDirectory(cluster: Pick<Cluster, 'user'>, folder: string): string {
  return cluster.user !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : folder;
}

/** Read postgres.json; undefined when it is not there or cannot be used. */
export function readCredentials(dataDir: string): Credentials | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
    return isCredentials(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function isCredentials(value: unknown): value is Credentials {
  if (typeof value !== 'object' || value === null || !('port' in value) || !('password' in value))
    return false;
  return Number.isInteger(value.port) && typeof value.password === 'string';
}

export function writeCredentials(dataDir: string, credentials: Credentials): void {
  const target = join(dataDir, 'postgres.json');
  writeFileSync(`${target}.new`, `${JSON.stringify(credentials)}\n`, { mode: 0o600 });
  renameSync(`${target}.new`, target);
}

/**
 * Create the cluster if there is none. It is built beside its place and renamed when it is whole, so that a start
 * that was cut off leaves nothing half-made.
 *
 * throws  database_unavailable when initdb fails, or when the files are those of another Postgres version
 */
export async function ensureCluster(cluster: Cluster, port: number): Promise<void> {
  if (existsSync(cluster.clusterDir)) return checkVersion(cluster.clusterDir);
  for (const leftOver of readdirSync(cluster.dataDir).filter((entry) => entry.startsWith('postgres.new-'))) {
    rmSync(join(cluster.dataDir, leftOver), { recursive: true, force: true });
  }
  const building = join(cluster.dataDir, `postgres.new-${process.pid}`);
  mkdirSync(building, { mode: 0o700 });
  if (cluster.user !== undefined) chownSync(building, cluster.user.uid, cluster.user.gid);
  await execute({
    command: cluster.binaries.initdb,
    args: ['-D', dataDirectory(cluster, building), ...initdbOptions(cluster.tuning)],
    cwd: building,
    user: cluster.user,
  });
  const password = await setPassword(cluster, building, [`CREATE DATABASE ${name}`]);
  writeCredentials(cluster.dataDir, { port, password });
  renameSync(building, cluster.clusterDir);
}

function initdbOptions(tuning: Tuning): readonly string[] {
  // Text search and trigrams of CJK text need a character type that is not C; macOS has no C.UTF-8.
  const locale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
  return [
    `--locale=${locale}`,
    '--encoding=UTF8',
    `--username=${name}`,
    // initdb asks for a password file when scram is named here; pg_hba.conf is written below instead.
    '--auth=trust',
    ...(tuning === 'test' ? ['--no-sync'] : []),
  ];
}

/**
 * Give the role a new password, in single-user mode: nothing may be listening, and no other user of the machine
 * sees it in a command line. Also written: pg_hba.conf that lets in nobody without it.
 */
export async function setPassword(
  cluster: Cluster,
  folder: string,
  moreStatements: readonly string[] = [],
): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  writeFileSync(join(folder, 'pg_hba.conf'), 'host all all 127.0.0.1/32 scram-sha-256\n');
  admitSocket(folder);
  await execute({
    command: cluster.binaries.postgres,
    args: ['--single', '-D', dataDirectory(cluster, folder), ...settings(cluster.tuning), 'template1'],
    cwd: folder,
    user: cluster.user,
    input: [`ALTER ROLE ${name} PASSWORD '${password}'`, ...moreStatements, ''].join('\n'),
  });
  return password;
}

/** Let in through the socket, with the password too; clusters of former versions know of loopback only. */
export function admitSocket(folder: string): void {
  const file = join(folder, 'pg_hba.conf');
  if (!/^local\s/m.test(readFileSync(file, 'utf8'))) appendFileSync(file, 'local all all scram-sha-256\n');
}

/** Settings on every start, as command-line options: they win over the operator's postgresql.conf. */
export function settings(tuning: Tuning): readonly string[] {
  const common = {
    timezone: 'UTC',
    log_timezone: 'UTC',
    max_connections: '200',
    // Statements and their values are people's messages; they do not belong in a log file.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
  };
  const fast = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const all = tuning === 'test' ? { ...common, ...fast } : common;
  return Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
}

function checkVersion(clusterDir: string): void {
  const version = readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8').trim();
  if (version === '18') return;
  throw new GatewayError(
    'database_unavailable',
    `${clusterDir} was written by Postgres ${version}, this version brings Postgres 18; nothing was changed. ` +
      'Take a backup with the version of palimpsest that wrote it (palimpsest backup FILE), move the folder away, ' +
      'and restore it here (palimpsest restore FILE)',
  );
}
