/** Recorded conversations under the other two engines; `npm run -s replay:all -- --engine lcm|dcp` plays all of them. */
import { expect, test } from 'vitest';
import { expectWhole, replay } from '../support/replay.ts';
import { sharedPath } from '../support/shared.ts';

const { missing } = sharedPath('transcripts/agent/swe-play-trajectories.jsonl');
const timeout = 170_000;

test.skipIf(missing)(
  'the lossless engine, a chat in a small window: several sweeps, most of them summaries of the model',
  { timeout },
  async () => {
    const report = await replay({
      file: 'chat/locomo-conv-26.jsonl',
      platform: 'telegram',
      window: 8_000,
      queue: 'redis',
      engine: 'lcm',
    });

    expectWhole(report, 211);
    expect(succeeded(report)).toBeGreaterThanOrEqual(2);
    expect(succeeded(report) * 2).toBeGreaterThan(report.compactions.length);
  },
);

test.skipIf(missing)(
  'the lossless engine, an agent at work with long tool results: pairs intact, nothing missing',
  { timeout },
  async () => {
    const report = await replay({
      file: 'agent/swe-gym_openhands_sampled_trajectories.jsonl',
      platform: 'local',
      window: 32_000,
      queue: 'postgres',
      engine: 'lcm',
    });

    expectWhole(report, 13);
    expect(succeeded(report)).toBeGreaterThanOrEqual(2);
  },
);

for (const nudges of ['follow', 'ignore'] as const) {
  test.skipIf(missing)(
    `the model-guided engine with a model that will ${nudges} its nudges: no prompt over the window, no lost line, every row live`,
    { timeout },
    async () => {
      const report = await replay({
        file: 'agent/swe-gym_openhands_sampled_trajectories.jsonl',
        platform: 'local',
        window: 32_000,
        queue: 'postgres',
        engine: 'dcp',
        nudges,
      });

      expectWhole(report, 13);
      expect(report.rows.archived).toBe(0);
      const byModel = report.compactions.filter(({ layer }) => layer === 'model_tool').length;
      expect(byModel > 0).toBe(nudges === 'follow');
    },
  );
}

function succeeded(report: { compactions: readonly { outcome: string | null }[] }): number {
  return report.compactions.filter(({ outcome }) => outcome === 'success').length;
}
