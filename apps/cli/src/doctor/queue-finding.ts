import { createQueue, inspectRedis, type RedisSettings } from '@palimpsest/queue';
import { toGatewayError } from '@palimpsest/core';
import { createLogger } from '../create-logger.ts';
import type { Settings } from '../settings.ts';
import { fine, problem, warning, type Finding } from './finding.ts';

/** Share of the connections that a Redis takes, above which more workers may be refused. */
const crowded = 0.8;

export async function queueFindings({ redisUrl }: Settings): Promise<Finding[]> {
  if (!redisUrl) return [fine('queue', 'BullMQ on Postgres (REDIS_URL is not set)')];
  const queue = await createQueue({ redisUrl, databaseUrl: '', logger: createLogger('silent') });
  try {
    await queue.ping();
    return redisFindings(await inspectRedis(redisUrl));
  } catch (thrown) {
    return [problem('queue', toGatewayError(thrown).message)];
  } finally {
    await queue.close();
  }
}

export function redisFindings(redis: RedisSettings): Finding[] {
  const { version, evictionPolicy, appendOnly, snapshots, clients, mostClients } = redis;
  const findings = [fine('queue', `Redis ${version} answers`)];
  if (evictionPolicy !== 'noeviction')
    findings.push(
      problem(
        'queue',
        `maxmemory-policy is ${evictionPolicy}: jobs may be thrown away when memory is full; set it to noeviction (CONFIG SET maxmemory-policy noeviction, and in redis.conf)`,
      ),
    );
  if (!appendOnly) findings.push(snapshotFinding(snapshots));
  if (mostClients !== null && clients > mostClients * crowded)
    findings.push(
      warning('queue', `${clients} of ${mostClients} connections of Redis are taken: raise maxclients`),
    );
  return findings;
}

/** Nothing is lost with the jobs: what waits stands in the database. */
function snapshotFinding(snapshots: boolean | null): Finding {
  if (snapshots === null)
    return fine('queue', 'Redis is without appendonly and does not say whether it makes snapshots');
  if (snapshots)
    return fine('queue', 'Redis makes snapshots; appendonly yes would keep every job over its restart');
  return warning(
    'queue',
    'Redis keeps nothing on disk: after its restart no message is lost, but each waits for the sweeper; set appendonly yes',
  );
}
