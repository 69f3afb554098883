import { expect, test } from 'vitest';
import { expectWhole, replay } from '../support/replay.ts';
import { sharedPath } from '../support/shared.ts';

const { missing } = sharedPath('transcripts/agent/swe-play-trajectories.jsonl');

test.skipIf(missing)(
  'an agent at work with long tool results, window 32,000, queue on Redis: pairs intact, nothing missing',
  { timeout: 170_000 },
  async () => {
    const report = await replay({
      file: 'agent/swe-gym_openhands_sampled_trajectories.jsonl',
      platform: 'local',
      window: 32_000,
      queue: 'redis',
    });

    expectWhole(report, 13);
    expect(report.compactions.length).toBeGreaterThanOrEqual(3);
  },
);

test.skipIf(missing)(
  'an agent at work, window 128,000, queue on Postgres: condensed at least once, nothing missing',
  { timeout: 170_000 },
  async () => {
    const report = await replay({
      file: 'agent/swe-play-trajectories.jsonl',
      platform: 'local',
      window: 128_000,
      queue: 'postgres',
    });

    expectWhole(report, 5);
    expect(
      report.compactions.filter((compaction) => compaction.outcome === 'success').length,
    ).toBeGreaterThanOrEqual(1);
  },
);

test.skipIf(missing)(
  'a summariser that fails every second time loses nothing',
  { timeout: 170_000 },
  async () => {
    const report = await replay({
      file: 'agent/swe-gym_openhands_sampled_trajectories.jsonl',
      platform: 'local',
      window: 32_000,
      queue: 'postgres',
      summariserFailEvery: 2,
    });

    expectWhole(report, 13);
  },
);

test.skipIf(missing)(
  'lines sent in one burst are all answered, each by a turn that covered it',
  { timeout: 170_000 },
  async () => {
    const report = await replay({
      file: 'chat/locomo-conv-49.jsonl',
      platform: 'local',
      window: 16_000,
      queue: 'redis',
      speed: 'burst',
    });

    expect(report).toMatchObject({
      sent: 256,
      answered: 256,
      lost: 0,
      duplicated: 0,
      out_of_order: 0,
      missing_rows: null,
      violations: [],
    });
  },
);
