import { expect, test } from 'vitest';
import { compressPlan } from '../../../packages/engines/src/dcp/compress/compress-plan.ts';
import { noticeText } from '../../../packages/engines/src/dcp/compress/notice-text.ts';
import { CompressWorld, dcpConfig, talk } from '../../support/compress-world.ts';
import { aSession } from '../../support/memory-transcript.ts';

const content = [
  { startId: 'm0001', endId: 'm0002', summary: 'First turn.' },
  { startId: 'm0004', endId: 'm0004', summary: 'Second answer.' },
];

async function call(config = dcpConfig()) {
  const world = talk(new CompressWorld(config), 4);
  const end = await world.tryCompress({ topic: 'the harbour', content });
  return {
    config,
    written: { ...end.written!, removedTokens: 1_500, summaryTokens: 200 },
    change: end.change!,
  };
}

test('D4 a call that made two blocks is told to the person once, with its topic and ranges', async () => {
  const { written, config } = await call();

  expect(noticeText(written, config)).toBe(
    '3 messages condensed by the model, about 1,300 tokens saved; nothing is lost, /undo_compaction takes it back.\n' +
      'b1: the harbour (m0001 to m0002)\n' +
      'b2: the harbour (m0004 to m0004)',
  );
});

test('a minimal notice is one line, none is none, and summaries are shown only where that is wanted', async () => {
  const minimal = await call(dcpConfig({ pruneNotification: 'minimal' }));
  const off = await call(dcpConfig({ pruneNotification: 'off' }));
  const shown = await call(dcpConfig({}, { showCompression: true }));

  expect(noticeText(minimal.written, minimal.config)?.split('\n')).toHaveLength(1);
  expect(noticeText(off.written, off.config)).toBeNull();
  expect(noticeText(shown.written, shown.config)).toContain('b1: the harbour (m0001 to m0002)\nFirst turn.');
});

test('the plan of a call archives nothing, carries the change and tells sizes on the scale of the session', async () => {
  const { written, config, change } = await call();
  const session = aSession({ lastPromptTokens: 4_000, lastOutputTokens: 100, estimateRatio: 1.2 });

  const plan = compressPlan(
    { session },
    { change, written, config },
    { tokens: 3_000, rows: 8, rowsAfter: 7 },
  );

  expect(plan).toMatchObject({
    outcome: 'success',
    archive: [],
    write: [],
    state: { engine: 'dcp', json: change },
    figures: {
      tokensBefore: 4_100,
      tokensBeforeSource: 'api',
      // 4,100 - 1.2 × 1,300
      tokensAfter: 2_540,
      rowsBefore: 8,
      rowsAfter: 7,
      rowsArchived: 0,
      summaryTokens: 200,
      summaryCalls: 0,
    },
  });
});
