import { expect, test } from 'vitest';
import { blockText } from '../../../packages/engines/src/dcp/transform/block-text.ts';
import { CompressWorld, talk } from '../../support/compress-world.ts';

const range = (startId: string, endId: string, summary: string) => ({ startId, endId, summary });

test('D3 a range of two messages becomes one block that says so and keeps its ends', async () => {
  const world = talk(new CompressWorld(), 3);

  const answer = await world.range([range('m0001', 'm0002', 'They set up the project.')]);

  expect(answer).toMatchObject({ ok: true, mode: 'range', created_blocks: ['b1'], active_blocks: ['b1'] });
  expect(answer.message).toBe('b1: 2 messages');
  expect(world.state.blocks).toHaveLength(1);
  expect(world.state.blocks[0]).toMatchObject({
    number: 1,
    startRef: 'm0001',
    endRef: 'm0002',
    anchorUnit: 101,
    unitIds: [101, 102],
    topic: 'set up the project',
    body: 'They set up the project.',
    status: 'on',
  });
});

test('D4 two disjoint entries of one call become two blocks of run 1', async () => {
  const world = talk(new CompressWorld(), 4);

  const answer = await world.range([range('m0001', 'm0002', 'first'), range('m0004', 'm0005', 'second')]);

  expect(answer.created_blocks).toEqual(['b1', 'b2']);
  expect(answer.message).toBe('b1: 2 messages; b2: 2 messages');
  expect(world.state.blocks.map(({ number, run }) => [number, run])).toEqual([
    [1, 1],
    [2, 1],
  ]);
  expect(world.state.nextRun).toBe(2);
  expect(world.state.counters.compressCalls).toBe(1);
});

test('D5 entries that share a message make no block, and every pair is named', async () => {
  const world = talk(new CompressWorld(), 5);

  const answer = await world.range([
    range('m0001', 'm0004', 'first'),
    range('m0003', 'm0006', 'second'),
    range('m0006', 'm0007', 'third'),
  ]);

  expect(answer.error).toEqual({
    code: 'E_OVERLAP_BATCH',
    message:
      'Nothing was compressed.\n' +
      'E_OVERLAP_BATCH: content[1]: content[0] and content[1] share m0003; make them one entry or part them\n' +
      'E_OVERLAP_BATCH: content[2]: content[1] and content[2] share m0006; make them one entry or part them',
  });
  expect(world.state.blocks).toEqual([]);
  expect([world.state.nextBlock, world.state.nextRun]).toEqual([1, 1]);
});

test('D6 a block of the range that the summary does not name is shown under a heading of its own', async () => {
  const world = talk(new CompressWorld(), 5);
  await world.range([range('m0003', 'm0004', 'Ports were chosen: 8080.')], 'choice of ports');

  const answer = await world.range([range('m0001', 'm0006', 'All of the beginning.')]);

  expect(answer).toMatchObject({ created_blocks: ['b2'], deactivated_blocks: ['b1'], active_blocks: ['b2'] });
  const [first, second] = world.state.blocks;
  expect(second).toMatchObject({ consumed: [1], refBlocks: [1], body: 'All of the beginning.\n\n### (b1)' });
  const text = blockText(
    second!,
    new Map([
      [1, first!],
      [2, second!],
    ]),
    'named',
  );
  expect(text).toContain('All of the beginning.\n\n### choice of ports\nPorts were chosen: 8080.');
});

test('a range that touches a block takes the whole block in, and the answer says how far it was widened', async () => {
  const world = talk(new CompressWorld(), 5);
  await world.range([range('m0001', 'm0003', 'The first three.')]);

  const answer = await world.range([range('m0003', 'm0005', 'Then (b1) and two more.')]);

  expect(answer.message).toBe('b2: 2 messages and b1, widened to b1-m0005');
  expect(world.state.blocks[1]).toMatchObject({
    startRef: 'b1',
    endRef: 'm0005',
    anchorUnit: 101,
    unitIds: [104, 105],
    consumed: [1],
    refBlocks: [1],
  });
});

test('a block as an end of a range stands for all it covers, and is put at that end when the summary forgets it', async () => {
  const world = talk(new CompressWorld(), 6);
  await world.range([range('m0001', 'm0002', 'Old part.')]);
  await world.range([range('m0005', 'm0006', 'Newer part.')]);

  await world.range([range('b1', 'b2', 'What lies between.')]);

  expect(world.state.blocks[2]).toMatchObject({
    unitIds: [103, 104],
    consumed: [1, 2],
    refBlocks: [1, 2],
    body: '(b1)\n\nWhat lies between.\n\n### (b2)',
  });
});

test('places of blocks count once each and only for blocks of the range; other spellings mean the same', async () => {
  const world = talk(new CompressWorld(), 5);
  await world.range([range('m0001', 'm0002', 'Old part.')]);

  await world.range([range('b1', 'm0004', 'See {block_1}, again (B1), and (b7).')]);

  expect(world.state.blocks[1]).toMatchObject({ body: 'See (b1), again (B1), and (b7).', refBlocks: [1] });
});

test('a pasted text of a block becomes its place, the longest copy first', async () => {
  const world = talk(new CompressWorld(), 5);
  const old = 'The server listens on port 8080 and the database on 5432.';
  await world.range([range('m0001', 'm0002', old)], 'ports');

  await world.range([range('m0001', 'm0004', `Before: ${old} Then the tests passed.`)]);

  expect(world.state.blocks[1]).toMatchObject({
    body: 'Before: (b1) Then the tests passed.',
    refBlocks: [1],
  });
});

test('a range is refused that ends before it begins', async () => {
  const world = talk(new CompressWorld(), 4);

  const answer = await world.range([range('m0004', 'm0002', 'text')]);

  expect(answer.error?.message).toContain(
    'E_ORDER: content[0]: m0004 comes after m0002; give the older one first',
  );
});

test('both ends of a wrong form are told together, with the form that is right', async () => {
  const world = talk(new CompressWorld(), 4);

  const answer = await world.range([range('4', 'b01', 'text')]);

  expect(answer.error?.code).toBe('E_REF_FORMAT');
  expect(answer.error?.message.split('\n').slice(1)).toEqual([
    'E_REF_FORMAT: content[0].startId: "4" is no ref; write it as it stands at the end of the message, such as m0001 or b1',
    'E_REF_FORMAT: content[0].endId: "b01" is no ref; write it as it stands at the end of the message, such as m0001 or b1',
  ]);
});

test('a ref that leads nowhere is refused with the reason and with what may be named instead', async () => {
  const world = talk(new CompressWorld(), 6);
  await world.range([range('m0001', 'm0002', 'Old part.')]);
  await world.range([range('b1', 'm0004', 'More of it.')]);
  world.withdraw([105, 106]);
  const reason = async (id: string): Promise<string | undefined> =>
    (await world.tryCompress({ topic: 't', content: [range(id, id, 'text')] })).result.text;

  expect(await reason('m0900')).toContain('m0900 was never given to a message; valid now: b2, m0007-m0010');
  expect(await reason('m0005')).toContain('m0005 was taken back or deleted');
  expect(await reason('b1')).toContain('b1 is already inside b2');
  expect(await reason('b9')).toContain('b9 was never made');
});

test('a range inside a block saves nothing and is refused; the block itself can be written anew', async () => {
  const world = talk(new CompressWorld(), 5);
  await world.range([range('m0001', 'm0004', 'A long record of the beginning. '.repeat(8))]);

  const inside = await world.range([range('m0002', 'm0003', 'short')]);
  const anew = await world.range([range('b1', 'b1', 'A short record.')]);

  expect(inside.error?.message).toContain(
    'E_NO_GAIN: content[0]: everything from m0002 to m0003 is already in b1; to shorten a block give it as both startId and endId',
  );
  expect(anew).toMatchObject({ ok: true, created_blocks: ['b2'], deactivated_blocks: ['b1'] });
  expect(world.state.blocks[1]).toMatchObject({
    body: 'A short record.',
    unitIds: [],
    consumed: [1],
    refBlocks: [],
    anchorUnit: 101,
  });
});

test('a step that waits for a result stays out of the block that surrounds it', async () => {
  const world = talk(new CompressWorld(), 1);
  const open = world.openCall();
  talk(world, 3);

  const around = await world.range([range('m0001', 'm0005', 'text')]);

  expect(around.ok).toBe(true);
  expect(world.state.blocks[0]?.unitIds).not.toContain(open.id);
  expect(world.state.blocks[0]?.unitIds).toHaveLength(4);
});

test('a range that holds nothing but a step without a result is refused', async () => {
  const world = new CompressWorld();
  world.openCall();
  talk(world, 3);

  const answer = await world.range([range('m0001', 'm0001', 'text')]);

  expect(answer.error?.code).toBe('E_EMPTY_RANGE');
});

test('the same call made again gives the same blocks and changes nothing', async () => {
  const world = talk(new CompressWorld(), 4);
  const args = { topic: 'a topic', content: [range('m0001', 'm0002', 'Old part.')] };
  const first = await world.compress(args, { callId: 'call-x' });
  const { state } = world;

  const again = await world.tryCompress(args, { callId: 'call-x' });

  expect(again.change).toBeNull();
  expect(JSON.parse(again.result.text)).toMatchObject({
    ok: true,
    created_blocks: ['b1'],
    removed_tokens: first.removed_tokens,
    summary_tokens: first.summary_tokens,
  });
  expect(world.state.blocks).toEqual(state.blocks);
});

test('a call id that comes again with other arguments is another call', async () => {
  const world = talk(new CompressWorld(), 5);
  await world.compress({ topic: 'one', content: [range('m0001', 'm0002', 'first')] }, { callId: 'call_0' });

  const second = await world.compress(
    { topic: 'two', content: [range('m0003', 'm0004', 'second')] },
    { callId: 'call_0' },
  );

  expect(second.created_blocks).toEqual(['b2']);
  expect(second.active_blocks).toEqual(['b1', 'b2']);
});
