import { textOfParts } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { longWorld } from '../../support/dcp-room.ts';

test('leaving the engine archives what blocks hide, one summary row a block; an undo of it brings the blocks back', async () => {
  const world = longWorld(8);
  await world.prompt();
  await world.range(
    { startId: 'm0001', endId: 'm0004', summary: 'the first two' },
    { startId: 'm0007', endId: 'm0010', summary: 'the later two' },
  );

  const plan = await world.engine.leave(world.transcript);
  const before = await world.prompt();
  world.transcript.apply(plan!);

  const rows = world.transcript.rows;
  expect(plan!.archive).toEqual([1, 2, 3, 4, 7, 8, 9, 10]);
  expect(rows.map((row) => row.kind).slice(0, 4)).toEqual(['summary', 'person', 'assistant', 'summary']);
  expect(textOfParts(rows[0]!.parts)).toContain('the first two');
  expect(textOfParts(rows[0]!.parts)).not.toMatch(/\[b1\]/);
  for (const row of world.transcript.all) row.state = plan!.archive.includes(row.id) ? 'live' : row.state;
  world.transcript.all.splice(-2);
  world.rebuild();
  expect(await world.prompt()).toEqual(before);
});

test('a session without blocks leaves and enters without any change', async () => {
  const world = longWorld(2);

  expect(await world.engine.leave(world.transcript)).toBeNull();
  expect(await world.engine.enter(world.transcript)).toBeNull();
});
