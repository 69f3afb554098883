import { emptyDcpState } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { restoreState } from '../../../packages/engines/src/dcp/compress/restore-state.ts';
import { CompressWorld, talk } from '../../support/compress-world.ts';

const range = { startId: 'm0001', endId: 'm0002', summary: 'First turn.' };

/** The conversation as an engine sees it; `reads` counts how often texts were asked for. */
function viewOf(world: CompressWorld) {
  let reads = 0;
  return {
    rows: world.rows,
    bodies: () => {
      reads += 1;
      return Promise.resolve(new Map(world.rows.map((row) => [row.id, row])));
    },
    reads: () => reads,
  };
}

test('D30 a conversation that came in without a state has its blocks from the first request on', async () => {
  const world = talk(new CompressWorld(), 4);
  await world.range([range]);

  const restored = await restoreState(emptyDcpState(), world.config, viewOf(world));

  expect(restored?.blocks).toMatchObject([{ number: 1, unitIds: [101, 102], body: 'First turn.' }]);
  expect(restored?.refs).toHaveLength(9);
});

test('where there is a state, or no tool was ever called, no text is read', async () => {
  const world = talk(new CompressWorld(), 4);
  const plain = viewOf(world);
  expect(await restoreState(emptyDcpState(), world.config, plain)).toBeNull();
  await world.range([range]);
  const known = viewOf(world);

  expect(await restoreState(world.state, world.config, known)).toBeNull();
  expect([plain.reads(), known.reads()]).toEqual([0, 0]);
});
