/** Starts and stops the server process of one cluster. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GatewayError } from '@palimpsest/core';
import { admitSocket, dataDirectory, settings, type Cluster } from './cluster.ts';
import { postgresEnvironment } from './execute.ts';
import { clusterName, isServerOf, readPidFile, serversOf } from './pid-file.ts';

/** The pid file is our only signal of readiness; a look costs 20 µs. */
const pollMs = 5;
const maximumLogBytes = 10_000_000;
/** How long children of a killed postmaster may take to notice; they look at least every second. */
const orphanWaitMs = 15_000;
/** A fast shutdown writes a checkpoint, which a slow disk may take long for. */
const stopWaitMs = 60_000;

/** The process id of the running server of this cluster, ready or not; undefined when none runs. */
export function runningPostmaster(cluster: Pick<Cluster, 'clusterDir'>): number | undefined {
  const file = readPidFile(cluster.clusterDir);
  return file !== undefined && isServerOf(cluster.clusterDir, file.pid) ? file.pid : undefined;
}

/**
 * Start the server and wait until it takes connections, however long the recovery after a crash takes.
 *
 * throws  database_unavailable with the server's own last words when it ends instead
 */
export async function startPostmaster(
  cluster: Cluster,
  port: number,
  log: (line: string) => void,
): Promise<number> {
  await clearStalePidFile(cluster, log);
  admitSocket(cluster.clusterDir);
  const logFile = join(cluster.dataDir, 'postgres.log');
  const logStart = openLog(logFile);
  const child = launch(cluster, port, logFile);
  const failed = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, killedBy) => resolve(`exit ${code ?? killedBy}`));
  });
  const outcome = await Promise.race([failed, untilReady(cluster, child.pid ?? -1, log)]);
  if (outcome !== 'ready') throw startError(logFile, logStart, outcome);
  child.unref(); // It outlives us if we are killed, and the next start adopts it.
  return child.pid ?? -1;
}

/** Wait until the running server (adopted, perhaps still recovering) takes connections; false when it ended. */
export async function untilReady(
  cluster: Cluster,
  pid: number,
  log: (line: string) => void,
): Promise<'ready' | 'ended'> {
  for (let polls = 1; ; polls += 1) {
    const file = readPidFile(cluster.clusterDir);
    if (file?.pid === pid && file.ready) return 'ready';
    if (polls % 2000 === 0) log('the database is still starting (recovering after a crash takes a while)');
    await wait(pollMs);
    if (polls > 20 && !isServerOf(cluster.clusterDir, pid)) return 'ended';
  }
}

/** Fast shutdown: open transactions are rolled back, everything committed is on disk. */
export async function stopPostmaster(
  cluster: Pick<Cluster, 'clusterDir'>,
  pid: number,
  log: (line: string) => void,
): Promise<void> {
  signal(pid, 'SIGINT');
  if (await untilGone(cluster, pid, stopWaitMs)) return;
  log(
    `the database did not stop within ${stopWaitMs / 1000} s; stopping it at once (the next start recovers)`,
  );
  signal(pid, 'SIGQUIT');
  await untilGone(cluster, pid, stopWaitMs);
}

/** A TCP port on loopback: the wanted one if it is free, else any. */
export async function freePort(wanted: number): Promise<number> {
  return (await tryPort(wanted)) ?? (await tryPort(0)) ?? wanted;
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}

function launch(cluster: Cluster, port: number, logFile: string): ChildProcess {
  const output = openSync(logFile, 'a', 0o600);
  try {
    return spawn(
      cluster.binaries.postgres,
      [
        `-D${dataDirectory(cluster, cluster.clusterDir)}`,
        `-p${port}`,
        '--listen_addresses=127.0.0.1',
        `--unix_socket_directories=${dataDirectory(cluster, cluster.clusterDir)}`,
        `--cluster_name=${clusterName(cluster.clusterDir)}`,
        ...settings(cluster.tuning),
      ],
      {
        cwd: cluster.clusterDir,
        ...cluster.user,
        env: postgresEnvironment,
        stdio: ['ignore', output, output],
        // Its own process group: Ctrl-C reaches us, and we stop it when nobody needs it any more.
        detached: true,
      },
    );
  } finally {
    closeSync(output);
  }
}

function openLog(logFile: string): number {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= maximumLogBytes) return size;
  renameSync(logFile, `${logFile}.1`);
  return 0;
}

/**
 * Postgres itself removes the pid file of a dead server, and first makes sure that no child of it is left. It
 * cannot when the number now belongs to some other program: then we make sure, and remove the file, and the socket's.
 */
async function clearStalePidFile(cluster: Cluster, log: (line: string) => void): Promise<void> {
  const deadline = Date.now() + orphanWaitMs;
  while (readPidFile(cluster.clusterDir) !== undefined && serversOf(cluster.clusterDir).length > 0) {
    if (Date.now() > deadline) return; // Postgres will refuse and say so.
    await wait(pollMs);
  }
  if (readPidFile(cluster.clusterDir) === undefined) return;
  log('the database was not shut down last time; it recovers now');
  for (const name of readdirSync(cluster.clusterDir))
    if (name === 'postmaster.pid' || name.startsWith('.s.PGSQL.')) rmSync(join(cluster.clusterDir, name));
}

async function untilGone(
  cluster: Pick<Cluster, 'clusterDir'>,
  pid: number,
  limitMs: number,
): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  while (isServerOf(cluster.clusterDir, pid)) {
    if (Date.now() > deadline) return false;
    await wait(pollMs);
  }
  return true;
}

function signal(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, name);
  } catch (thrown) {
    // Gone already is what we wanted.
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH')) throw thrown;
  }
}

function startError(logFile: string, logStart: number, outcome: string): GatewayError {
  let lines: string[] = [];
  try {
    lines = readFileSync(logFile).subarray(logStart).toString('utf8').trim().split('\n');
  } catch {
    // No log: the program was not even started, and `outcome` says why.
  }
  const words = lines.filter((line) => /FATAL|PANIC|LOG: {2}could not|error while/.test(line)).slice(-3);
  return new GatewayError(
    'database_unavailable',
    `the embedded Postgres did not start (${outcome}); its log is ${logFile}${words.map((line) => `\n  ${line}`).join('')}`,
    { retryable: true },
  );
}
