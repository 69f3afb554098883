import { expect, test } from 'vitest';
import { expectWhole, replay } from '../support/replay.ts';
import { sharedPath } from '../support/shared.ts';

const { missing } = sharedPath('transcripts/chat/locomo-conv-26.jsonl');

test.skipIf(missing)(
  'a year of chat on Telegram, queue on Redis: all answered in order, condensed in place again and again',
  { timeout: 170_000 },
  async () => {
    const report = await replay({
      file: 'chat/locomo-conv-26.jsonl',
      platform: 'telegram',
      window: 8_000,
      queue: 'redis',
    });

    expectWhole(report, 211);
    expect(report.compactions.length).toBeGreaterThanOrEqual(4);
    const successes = report.compactions.filter((compaction) => compaction.outcome === 'success').length;
    expect(successes / report.compactions.length).toBeGreaterThan(0.8);
  },
);
