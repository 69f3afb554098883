import { expect, test } from 'vitest';
import { CompressWorld, dcpConfig, talk } from '../../support/compress-world.ts';

const range = (startId: string, endId: string, summary: string) => ({ startId, endId, summary });

test('D35 a summary that is not smaller than what it replaces is refused with both sizes', async () => {
  const world = talk(new CompressWorld(), 4);

  const answer = await world.range([range('m0001', 'm0001', 'word '.repeat(60))]);

  expect(answer.error?.code).toBe('E_NO_GAIN');
  expect(answer.error?.message).toMatch(
    /content\[0\]: the summary has about \d+ tokens, what it replaces has \d+; take a larger range or write a shorter summary/,
  );
  expect(world.state.blocks).toEqual([]);
});

test('D35 a compression that saves less than the minimum is refused, the entries of a call counted together', async () => {
  const world = talk(new CompressWorld(dcpConfig({ minNetTokens: 300 })), 6);

  const small = await world.range([range('m0001', 'm0002', 'Old part.')]);
  const together = await world.range([
    range('m0001', 'm0002', 'Old part.'),
    range('m0004', 'm0004', 'Next part.'),
  ]);

  expect(small.error?.message).toMatch(
    /E_NO_GAIN: this would save about \d+ tokens, at least 300 are worth it; take a larger range or go on without/,
  );
  expect(together.created_blocks).toEqual(['b1', 'b2']);
  expect(together.net_tokens).toBeGreaterThanOrEqual(300);
});

test('D35 on a small window the minimum is one hundredth of it', async () => {
  const world = talk(new CompressWorld(dcpConfig({ minNetTokens: 5000 })), 6);
  world.windowTokens = 16_000;

  const answer = await world.range([range('m0001', 'm0002', 'Old part.')]);

  expect(answer.ok).toBe(true);
});

test('blocks that a range takes in count with what is shown for them, not with what they hide', async () => {
  const world = talk(new CompressWorld(), 6);
  await world.range([range('m0001', 'm0008', 'A record of four turns.')]);

  const answer = await world.range([range('b1', 'm0009', `All of it, told again: ${'word '.repeat(60)}`)]);

  expect(answer.error?.code).toBe('E_NO_GAIN');
});

test('figures are net: what was shown before, what is shown now, blocks inside counted once', async () => {
  const world = talk(new CompressWorld(), 6);
  const first = await world.range([range('m0001', 'm0004', 'Two turns.')]);
  const second = await world.range([range('b1', 'm0006', 'A third turn. (b1)')]);
  const [inner, outer] = world.state.blocks;

  // Two turns of the talk and one, as estimated; the frame of a block is about 20 tokens.
  expect(first.removed_tokens).toBe(inner!.rawTokens);
  expect(second.removed_tokens).toBe(outer!.rawTokens + inner!.summaryTokens);
  expect(second.summary_tokens).toBe(outer!.summaryTokens + inner!.summaryTokens);
  expect(second.net_tokens).toBe(second.removed_tokens! - second.summary_tokens!);
  expect(inner!.summaryTokens).toBeLessThan(40);
});

test('a summary longer than a quarter of the window is refused with both figures', async () => {
  const world = talk(new CompressWorld(), 30);
  world.windowTokens = 4_000;

  const answer = await world.range([range('m0001', 'm0050', 'word '.repeat(1500))]);

  expect(answer.error?.code).toBe('E_SUMMARY_TOO_LARGE');
  expect(answer.error?.message).toMatch(
    /the summary has about \d+ tokens, at most 1000 are allowed; write a shorter one/,
  );
});

test('a summary too large because of the blocks inside it says which one to shorten first', async () => {
  const world = talk(new CompressWorld(dcpConfig({ maxSummaryTokens: 300 })), 20);
  await world.range([range('m0001', 'm0010', 'word '.repeat(220))]);

  const answer = await world.range([range('b1', 'm0020', 'line '.repeat(220))]);

  expect(answer.error?.message).toMatch(
    /E_SUMMARY_TOO_LARGE: .* tokens, at most 300 are allowed, b1 included; first shorten b1 by giving it as both startId and endId/,
  );
});

test('blocks nest eight deep; then the chain is to be written anew', async () => {
  const world = talk(new CompressWorld(), 14);
  await world.range([range('m0001', 'm0002', 'Turn 1.')]);
  for (let turn = 2; turn <= 8; turn++)
    expect(
      (await world.range([range(`b${turn - 1}`, `m00${String(turn * 2).padStart(2, '0')}`, `Turn ${turn}.`)]))
        .ok,
    ).toBe(true);

  const ninth = await world.range([range('b8', 'm0018', 'Turn 9.')]);
  const anew = await world.range([range('b8', 'b8', 'Eight turns.')]);
  const after = await world.range([range('b9', 'm0018', 'Turn 9.')]);

  expect(ninth.error?.message).toContain(
    'E_SUMMARY_TOO_LARGE: content[0]: blocks lie 8 deep inside each other, b8 included; first shorten b8',
  );
  expect(anew.ok).toBe(true);
  expect(after).toMatchObject({ ok: true, active_blocks: ['b10'] });
});

test('a text that is gone is not shown inside another block', async () => {
  const world = talk(new CompressWorld(), 6);
  await world.range([range('m0001', 'm0004', 'Two turns.')]);
  world.state = { ...world.state, blocks: world.state.blocks.map((block) => ({ ...block, body: '' })) };

  const answer = await world.range([range('b1', 'm0006', 'More.')]);

  expect(answer.error?.message).toContain(
    'E_BLOCK_MISSING: content[0]: the text of b1 is gone; leave b1 out of the range',
  );
});

test('summaries in the arguments of past calls no longer weigh: they are shown as blocks', async () => {
  const world = talk(new CompressWorld(), 8);
  await world.range([range('m0001', 'm0010', 'word '.repeat(500))]);
  talk(world, 2);
  world.number();
  const call = world.rows.findIndex((row) => row.toolCallIds.length > 0);
  const ref = `m${String(world.state.refs.get(world.rows[call]!.id)).padStart(4, '0')}`;

  const answer = await world.range([range(ref, ref, 'word '.repeat(300))]);

  expect(world.rows[call]!.tokens).toBeGreaterThan(500);
  expect(answer.error?.code).toBe('E_NO_GAIN');
});

test('repeated calls that are still shown are marked with the run of the compression', async () => {
  const world = new CompressWorld(dcpConfig({ turnProtection: { enabled: false, turns: 4 } }));
  world.person('go');
  world.round([{ name: 'read', args: { path: 'a' }, output: 'line '.repeat(100) }]);
  talk(world, 2);
  world.round([{ name: 'read', args: { path: 'a' }, output: 'line '.repeat(100) }]);
  talk(world, 1);

  await world.range([range('m0003', 'm0004', 'A turn.')]);

  expect(world.state.marks).toMatchObject([{ unitId: 102, callId: 'call-1', reason: 'duplicate', run: 1 }]);
});
