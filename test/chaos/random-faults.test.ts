/** The long runs of `npm run -s chaos` in short: the same processes, faults and judge, for some seconds. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { ChaosReport } from '../../apps/evals/src/chaos/run-chaos.ts';
import { runProgram } from '../../apps/evals/src/program.ts';
import { redisServerIsMissing } from '../support/chaos/redis-server.ts';
import { botApiSchema } from '../support/fake-telegram.ts';

/** Its first 25 seconds freeze and kill workers, kill a gateway, crash Postgres, stop Redis and lose answers. */
const seed = 17;

describe.skipIf(botApiSchema.missing || redisServerIsMissing())(
  'twenty-five seconds of random faults',
  () => {
    test('break no promise', async () => {
      const progress: string[] = [];
      const printed: string[] = [];

      const code = await runProgram(
        ['chaos', '--minutes', String(25 / 60), '--seed', String(seed), '--json'],
        {
          env: process.env,
          folder: fileURLToPath(new URL('../..', import.meta.url)),
          signal: new AbortController().signal,
          print: (text) => void printed.push(text),
          progress: (line) => progress.push(line),
        },
      );

      const report = JSON.parse(printed.join('')) as ChaosReport;
      expect([code, report.violations]).toEqual([0, []]);
      expect(report).toMatchObject({ seed, setting: { engine: 'lcm', queue: 'redis' } });
      expect(report.faults).toEqual({
        freeze: 1,
        discord: 1,
        telegram: 2,
        half: 2,
        kill: 2,
        redis_stopped: 1,
        repeated_update: 1,
        postgres_crash: 1,
      });
      expect(progress).toHaveLength(11);
      // 47 words while things break, and one in each of the 11 chats when all is well again.
      expect(report.said).toBe(58);
      expect(report.answers).toBeGreaterThan(11);
    });
  },
);
