import { expect } from 'vitest';
import { silentLogger } from '@palimpsest/core';
import { createLogger } from '../../apps/cli/src/create-logger.ts';
import type { ReplayReport } from '../../apps/cli/src/replay/report.ts';
import { runReplay, type ReplayOptions } from '../../apps/cli/src/replay/run-replay.ts';
import { createTestDatabase } from './database.ts';
import { sharedPath } from './shared.ts';
import { serviceAddresses } from './test-services.ts';

export type ReplayWish = Pick<ReplayOptions, 'platform' | 'window'> &
  Partial<
    Pick<
      ReplayOptions,
      'engine' | 'nudges' | 'speed' | 'config' | 'summariserFailEvery' | 'summariserDelayMs'
    >
  > & {
    file: string;
    queue: 'redis' | 'postgres';
  };

/** Play a file of ../shared/transcripts on a database of its own. */
export async function replay(wish: ReplayWish): Promise<ReplayReport> {
  await using database = await createTestDatabase({ migrated: false });
  const { redisUrl } = serviceAddresses();
  return await runReplay({
    engine: 'compressor',
    nudges: 'follow',
    speed: 'max',
    summariserDelayMs: 0,
    summariserFailEvery: 0,
    ...wish,
    file: sharedPath(`transcripts/${wish.file}`).path,
    schemas: sharedPath('telegram').path.replace(/\/telegram$/, ''),
    databaseUrl: database.url,
    redisUrl: wish.queue === 'redis' ? redisUrl : null,
    logger: process.env['LOG_REPLAY'] ? createLogger('info') : silentLogger,
  });
}

/** What every replay promises: nothing lost, doubled, out of order or missing, no prompt over the window. */
export function expectWhole(report: ReplayReport, sent: number): void {
  expect(report).toMatchObject({
    sent,
    answered: sent,
    lost: 0,
    duplicated: 0,
    out_of_order: 0,
    missing_rows: 0,
    prompts_refused: 0,
    violations: [],
  });
  expect(report.session_ids).toHaveLength(1);
  expect(report.rows.withdrawn).toBe(0);
  expect(report.largest_prompt_tokens).toBeLessThanOrEqual(report.window);
  expect(report.events).toBe(
    report.compactions.filter((compaction) =>
      ['success', 'deterministic', 'fallback_trim', 'ineffective'].includes(compaction.outcome ?? ''),
    ).length,
  );
}
