/** Whether a test may start a Redis of its own. */
import { spawnSync } from 'node:child_process';

export { startRedisServer } from '../../../apps/evals/src/chaos/redis-server.ts';

/**
 * True only outside CI: the run uses a Redis that is not on this machine. Tests that need their own then say so.
 *
 * throws  in CI, which must not skip
 */
export function redisServerIsMissing(): boolean {
  const missing = spawnSync('redis-server', ['--version']).status !== 0;
  if (missing && process.env.CI)
    throw new Error('redis-server is missing in CI; apt-get install redis-server');
  return missing;
}
