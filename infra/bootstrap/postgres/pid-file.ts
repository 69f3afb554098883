/** Reads `postmaster.pid` and tells whether the process it names really is the server of that folder. */
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What the first lines of `postmaster.pid` say. */
export interface PidFile {
  readonly pid: number;
  /** TCP port; undefined while the server is still starting. */
  readonly port: number | undefined;
  readonly ready: boolean;
}

/** The pid file of a cluster; undefined if there is none, or it was just being written. */
export function readPidFile(clusterDir: string): PidFile | undefined {
  let text: string;
  try {
    text = readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8');
  } catch {
    return undefined;
  }
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, port: Number(lines[3]) || undefined, ready: lines[7] === 'ready' };
}

/**
 * The `cluster_name` that every process of this folder's server shows in its command line. It is made of the
 * folder's device and inode, so two folders never share one, and a moved folder needs nothing rewritten.
 */
export function clusterName(clusterDir: string): string {
  const stat = statSync(clusterDir);
  return `palimpsest-${stat.dev.toString(36)}-${stat.ino.toString(36)}`;
}

/**
 * Is `pid` alive and a process of this cluster's server? Process ids are used again (in a container the same small
 * numbers at every start), so that "alive" alone says nothing. The command line is read because the working
 * directory of another user's process is hidden even from root in a container without CAP_SYS_PTRACE.
 */
export function isServerOf(clusterDir: string, pid: number): boolean {
  return commandLineOf(pid).includes(clusterName(clusterDir));
}

/** Processes of this cluster's server, its children too: after a killed postmaster they need a moment to end. */
export function serversOf(clusterDir: string): readonly number[] {
  if (process.platform !== 'linux') return [];
  const name = clusterName(clusterDir);
  const ids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return ids.filter((pid) => commandLineOf(pid).includes(name));
}

/** Empty for a process that is gone, and on Linux for a dead one that nobody has collected yet. */
function commandLineOf(pid: number): string {
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
