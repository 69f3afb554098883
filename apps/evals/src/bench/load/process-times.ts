/** Processor time of the three that do the work: our process, the database server, Redis. Linux only, and only on this machine. */
import { readdirSync, readFileSync } from 'node:fs';
import { queryDatabase } from '@palimpsest/testkit';
import { redisCommands } from '../../../../../infra/bootstrap/tests/redis-client.ts';

/** The kernel counts in hundredths of a second for every program that reads it. */
const msPerTick = 10;

/** Milliseconds of processor so far; null where the server is not on this machine. */
export interface ProcessTimes {
  service: number;
  postgres: number | null;
  redis: number | null;
}

/** Process ids of the servers; null: not found here. */
export interface ServerProcesses {
  postmaster: number | null;
  redis: number | null;
}

/** Ask the servers who they are, and look whether this machine has such a process; some connection is open. */
export async function findServers(databaseUrl: string, redisUrl: string | null): Promise<ServerProcesses> {
  const [row] = await queryDatabase(
    databaseUrl,
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() LIMIT 1',
  );
  const connection = statOf(Number(row?.['pid']));
  return {
    postmaster: connection?.name === 'postgres' ? connection.parent : null,
    redis: redisUrl === null ? null : await findRedisProcess(redisUrl),
  };
}

async function findRedisProcess(redisUrl: string): Promise<number | null> {
  const [info] = await redisCommands(redisUrl, [['INFO', 'server']]);
  const pid = Number(/process_id:(\d+)/.exec(String(info))?.[1]);
  return statOf(pid)?.name.startsWith('redis') ? pid : null;
}

/** Read all three clocks. */
export function readProcessTimes({ postmaster, redis }: ServerProcesses): ProcessTimes {
  const { user, system } = process.cpuUsage();
  return {
    service: (user + system) / 1000,
    postgres: postmaster === null ? null : familyMs(postmaster),
    redis: redis === null ? null : (statOf(redis)?.ownMs ?? null),
  };
}

/** A server process with its children; those that have ended are counted with their parent. */
function familyMs(parent: number): number {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? [])
    .filter((one) => one.parent === parent);
  const own = statOf(parent);
  return children.reduce((sum, one) => sum + one.ownMs, (own?.ownMs ?? 0) + (own?.endedChildrenMs ?? 0));
}

interface ProcessStat {
  name: string;
  parent: number;
  ownMs: number;
  endedChildrenMs: number;
}

/** `pid (name) state parent …`; the name may hold spaces and brackets. */
function statOf(pid: number): ProcessStat | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = line
      .slice(line.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return {
      name: line.slice(line.indexOf('(') + 1, line.lastIndexOf(')')),
      parent: fields[1] ?? 0,
      ownMs: (user + system) * msPerTick,
      endedChildrenMs: (endedUser + endedSystem) * msPerTick,
    };
  } catch {
    return null; // Gone, or no Linux.
  }
}
