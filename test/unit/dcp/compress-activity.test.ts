import {
  blockActivity,
  blocksByNumber,
  coveredUnits,
  coverOfUnits,
  type DcpBlockStatus,
} from '@palimpsest/core';
import { expect, test } from 'vitest';
import { applyChange } from '../../../packages/engines/src/dcp/state/apply-change.ts';
import { statsOf } from '../../../packages/engines/src/dcp/state/stats.ts';
import { CompressWorld, talk } from '../../support/compress-world.ts';

const range = (startId: string, endId: string, summary = 'Old part.') => ({ startId, endId, summary });

function activityOf(world: CompressWorld, isWhole = true): [number, string][] {
  return [...blockActivity(world.state, { rows: world.rows, isWhole })];
}

function setStatus(world: CompressWorld, block: number, status: DcpBlockStatus): void {
  world.state = applyChange(world.state, {
    baseVersion: world.state.version,
    statuses: [{ block, status }],
  });
}

/** Rows from the newest person's message on are taken back, as /undo does. */
function undoTurn(world: CompressWorld): void {
  const from = world.rows.findLastIndex((row) => row.kind === 'person');
  world.withdraw(world.rows.slice(from).map((row) => row.id));
}

test('D24 a part of the transcript without the call that made a block keeps it, the whole one turns it off', async () => {
  const world = talk(new CompressWorld(), 4);
  await world.range([range('m0001', 'm0002')]);
  undoTurn(world);

  expect(activityOf(world, false)).toEqual([[1, 'active']]);
  expect(activityOf(world)).toEqual([[1, 'orphaned']]);
});

test('an undone compress call gives back what it covered and the blocks it had taken in', async () => {
  const world = talk(new CompressWorld(), 4);
  await world.range([range('m0001', 'm0002')]);
  talk(world, 1);
  await world.range([range('b1', 'm0004')]);

  expect(activityOf(world)).toEqual([
    [1, 'consumed'],
    [2, 'active'],
  ]);
  undoTurn(world);
  expect(activityOf(world)).toEqual([
    [1, 'active'],
    [2, 'orphaned'],
  ]);
});

test('a block that a person turned off gives back what it had taken in, and takes it in again when turned on', async () => {
  const world = talk(new CompressWorld(), 6);
  await world.range([range('m0001', 'm0002')]);
  await world.range([range('b1', 'm0004')]);

  setStatus(world, 2, 'user_off');
  expect(activityOf(world)).toEqual([
    [1, 'active'],
    [2, 'user_off'],
  ]);
  setStatus(world, 2, 'on');
  expect(activityOf(world)).toEqual([
    [1, 'consumed'],
    [2, 'active'],
  ]);
});

test('a block turned on again over one that was made meanwhile does not hide its messages twice', async () => {
  const world = talk(new CompressWorld(), 8);
  await world.range([range('m0001', 'm0002')]);
  await world.range([range('b1', 'm0004')]);
  setStatus(world, 2, 'user_off');
  await world.range([range('b1', 'm0006')]);
  setStatus(world, 2, 'on');

  expect(activityOf(world)).toEqual([
    [1, 'consumed'],
    [2, 'consumed'],
    [3, 'active'],
  ]);
});

test('a block over a message that is gone is not shown, nor one around it', async () => {
  const world = talk(new CompressWorld(), 6);
  await world.range([range('m0001', 'm0002'), range('m0005', 'm0006')]);
  await world.range([range('b1', 'm0004')]);
  world.withdraw([101]);

  expect(activityOf(world)).toEqual([
    [1, 'orphaned'],
    [2, 'active'],
    [3, 'orphaned'],
  ]);
});

test('a block of the host stands without a call', async () => {
  const world = talk(new CompressWorld(), 4);
  await world.range([range('m0001', 'm0002')]);
  world.state = {
    ...world.state,
    blocks: world.state.blocks.map((block) => ({
      ...block,
      origin: null,
      author: 'host_emergency' as const,
    })),
  };
  undoTurn(world);

  expect(activityOf(world)).toEqual([[1, 'active']]);
});

test('what a block covers is its own units and those of blocks it took in', async () => {
  const world = talk(new CompressWorld(), 6);
  await world.range([range('m0001', 'm0002')]);
  await world.range([range('b1', 'm0003')]);
  const blocks = blocksByNumber(world.state);

  expect([...coveredUnits(blocks.get(2)!, blocks)].sort()).toEqual([101, 102, 103]);
  expect([...coverOfUnits([blocks.get(2)!], blocks).keys()].sort()).toEqual([101, 102, 103]);
});

test('D26 the time of a call that made several blocks counts once, and that of blocks not shown not at all', async () => {
  const world = talk(new CompressWorld(), 8);
  await world.range([range('m0001', 'm0002'), range('m0004', 'm0005')]);
  await world.range([range('m0007', 'm0008')]);
  const stats = (): ReturnType<typeof statsOf> =>
    statsOf(world.state, blockActivity(world.state, { rows: world.rows, isWhole: true }));

  // Every call of this world takes 25 ms.
  expect(stats()).toMatchObject({ activeBlocks: 3, allBlocks: 3, hiddenUnits: 6, durationMs: 50 });
  setStatus(world, 3, 'user_off');
  expect(stats()).toMatchObject({ activeBlocks: 2, allBlocks: 3, hiddenUnits: 4, durationMs: 25 });
});
