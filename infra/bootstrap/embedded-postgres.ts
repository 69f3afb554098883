/**
 * Embedded Postgres in a data folder, for `npm start` and for tests.
 *
 *   lock the folder → files there? else initdb → running already? adopt it : start it → watch → stop
 */
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { toGatewayError } from '@palimpsest/core';
import {
  databaseUrl,
  ensureCluster,
  readCredentials,
  setPassword,
  writeCredentials,
  type Cluster,
  type Credentials,
  type Tuning,
} from './postgres/cluster.ts';
import { lockDataFolder } from './postgres/data-folder-lock.ts';
import { readPidFile } from './postgres/pid-file.ts';
import { postgresBinaries } from './postgres/postgres-binaries.ts';
import { postgresUser } from './postgres/postgres-user.ts';
import {
  freePort,
  runningPostmaster,
  startPostmaster,
  stopPostmaster,
  untilReady,
} from './postgres/postmaster.ts';

/** How often the server is looked at while we run. */
const watchMs = 100;
const longestRestartWaitMs = 10_000;

export interface EmbeddedPostgresOptions {
  /** Folder of the data, created if missing; the cluster lies in `postgres` below it. */
  readonly dataDir: string;
  /** Gets one line when something happened that an operator may want to know. */
  readonly log: (line: string) => void;
  /** Loopback port; default: the one of last time, else any that is free. */
  readonly port?: number;
  readonly tuning?: Tuning;
}

export interface EmbeddedPostgres {
  /** With user, password and database; holds for as long as this process owns the folder. */
  readonly databaseUrl: string;
  /** True when a server of a killed owner was still running and was taken over. */
  readonly adopted: boolean;
  /** Fast shutdown, then the folder is free for the next owner. */
  stop(): Promise<void>;
}

/**
 * Start the database of a data folder and keep it running: a server that dies is started again on the same port.
 *
 * It works as root too (Postgres then runs as another OS user), and in a checkout which that user may not enter.
 * A server that outlived a killed owner is adopted. Nothing here ever deletes a cluster.
 *
 * throws  data_folder_in_use when another process owns the folder; database_unavailable when it cannot run
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const lock = lockDataFolder(dataDir);
  try {
    const cluster = describeCluster(dataDir, options);
    const started = await bringUp(cluster, options);
    const watch = keepRunning(cluster, started, options.log);
    const stop = async (): Promise<void> => {
      await watch.stop();
      lock.release();
    };
    let stopping: Promise<void> | undefined;
    return {
      databaseUrl: databaseUrl(dataDir, started.credentials),
      adopted: started.adopted,
      stop: () => (stopping ??= stop()),
    };
  } catch (thrown) {
    lock.release();
    throw toGatewayError(thrown);
  }
}

/** Address of the database that another process runs from this data folder; undefined when none runs. */
export async function embeddedDatabaseUrl(folder: string): Promise<string | undefined> {
  const dataDir = resolve(folder);
  const known = readCredentials(dataDir);
  const clusterDir = join(dataDir, 'postgres');
  if (known === undefined || runningPostmaster({ clusterDir }) === undefined) return undefined;
  return databaseUrl(dataDir, { ...known, port: readPidFile(clusterDir)?.port ?? known.port });
}

interface Started {
  readonly credentials: Credentials;
  readonly pid: number;
  readonly adopted: boolean;
}

function describeCluster(dataDir: string, options: EmbeddedPostgresOptions): Cluster {
  const clusterDir = join(dataDir, 'postgres');
  const user = postgresUser(clusterDir, options.log);
  return { dataDir, clusterDir, user, binaries: postgresBinaries(user), tuning: options.tuning ?? 'durable' };
}

async function bringUp(cluster: Cluster, options: EmbeddedPostgresOptions): Promise<Started> {
  const known = readCredentials(cluster.dataDir);
  const wanted = options.port ?? known?.port ?? 0;
  await ensureCluster(cluster, wanted);
  const adopted = await adopt(cluster, options.log);
  if (adopted !== undefined) return adopted;
  const port = await freePort(wanted);
  const password =
    readCredentials(cluster.dataDir)?.password ?? (await setPassword(cluster, cluster.clusterDir));
  const credentials = { port, password };
  if (port !== known?.port || password !== known.password) writeCredentials(cluster.dataDir, credentials);
  return { credentials, pid: await startPostmaster(cluster, port, options.log), adopted: false };
}

/** Take over the server of a killed owner; one whose password nobody knows any more is stopped instead. */
async function adopt(cluster: Cluster, log: (line: string) => void): Promise<Started | undefined> {
  const pid = runningPostmaster(cluster);
  if (pid === undefined) return undefined;
  const known = readCredentials(cluster.dataDir);
  if (known === undefined) {
    await stopPostmaster(cluster, pid, log);
    return undefined;
  }
  if ((await untilReady(cluster, pid, log)) === 'ended') return undefined;
  log(`adopted the database server (process ${pid}) of a start that was killed`);
  const credentials = { ...known, port: readPidFile(cluster.clusterDir)?.port ?? known.port };
  return { credentials, pid, adopted: true };
}

/** Look at the server until `stop`; start it again, more slowly each time, when it is gone. */
function keepRunning(
  cluster: Cluster,
  started: Started,
  log: (line: string) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let pid = started.pid;
  const restart = async (): Promise<void> => {
    for (
      let waitMs = watchMs;
      !stopping.signal.aborted;
      waitMs = Math.min(waitMs * 2, longestRestartWaitMs)
    ) {
      try {
        pid = await startPostmaster(cluster, started.credentials.port, log);
        return log(`the database server had ended; it runs again (process ${pid})`);
      } catch (thrown) {
        log(`${toGatewayError(thrown).message}\n  trying again in ${waitMs} ms`);
        await wait(waitMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
      }
    }
  };
  const watching = (async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      if (runningPostmaster(cluster) !== pid) await restart();
      await wait(watchMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await watching;
      const running = runningPostmaster(cluster);
      if (running !== undefined) await stopPostmaster(cluster, running, log);
    },
  };
}
