import { blockActivity, emptyDcpState } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { replayCalls } from '../../../packages/engines/src/dcp/compress/replay-calls.ts';
import { applyChange } from '../../../packages/engines/src/dcp/state/apply-change.ts';
import { CompressWorld, talk } from '../../support/compress-world.ts';

const range = (startId: string, endId: string, summary: string) => ({ startId, endId, summary });

test('D30 a copy without state gets its blocks from the completed compress calls, a block as an end included', async () => {
  const world = talk(new CompressWorld(), 4);
  await world.range([range('m0001', 'm0002', 'First turn.')]);
  await world.range([range('m0700', 'm0800', 'A call that failed.')]);
  talk(world, 1);
  await world.range([range('b1', 'm0004', 'Two turns. (b1)')]);
  const { rows, state } = world;

  const change = replayCalls(rows, world.config);

  const copy = applyChange(emptyDcpState(), change!);
  expect(copy.blocks.map((block) => ({ ...block, durationMs: 25 }))).toEqual(state.blocks);
  expect([...copy.refs].slice(0, state.refs.size)).toEqual([...state.refs]);
  expect([...blockActivity(copy, { rows, isWhole: true })]).toEqual([
    [1, 'consumed'],
    [2, 'active'],
  ]);
});

test('D30 a copy without a completed compress call has no blocks', async () => {
  const world = talk(new CompressWorld(), 3);
  expect(replayCalls(world.rows, world.config)).toBeNull();

  await world.range([range('m0700', 'm0800', 'A call that failed.')]);
  expect(replayCalls(world.rows, world.config)).toBeNull();
});

test('a call whose messages are missing in the copy is left out, and later blocks keep their numbers', async () => {
  const world = talk(new CompressWorld(), 6);
  await world.range([range('m0009', 'm0010', 'A late turn.')]);
  await world.range([range('m0001', 'm0002', 'First turn.')]);
  world.withdraw([107, 108, 109, 110]);

  const change = replayCalls(world.rows, world.config);

  expect(change?.blocks?.map(({ number, body }) => [number, body])).toEqual([[2, 'First turn.']]);
});
