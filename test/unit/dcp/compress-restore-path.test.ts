import { emptyDcpState } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { DcpWorld, linesOf } from '../../support/dcp-world.ts';
import { words } from '../../support/memory-transcript.ts';

/** Two long exchanges, the first of them compressed, and a third. */
async function compressedWorld(): Promise<DcpWorld> {
  const world = new DcpWorld();
  for (const text of ['harbour', 'ships', 'cranes']) {
    world.say(`tell me of the ${text}`);
    world.answer(`the ${text} ${words(1_500)}`);
  }
  world.say('now compress');
  await world.prompt();
  const answer = await world.range({
    startId: 'm0001',
    endId: 'm0002',
    summary: 'The harbour was described.',
  });
  expect(answer['ok']).toBe(true);
  return world;
}

test('D30 the first request of a copy shows and stores its blocks, the next one is the same', async () => {
  const world = await compressedWorld();
  const original = linesOf(await world.prompt());
  world.state = emptyDcpState();
  world.rebuild();

  const copied = linesOf(await world.prompt());

  expect(world.state).toMatchObject({ version: 1, nextBlock: 2, blocks: [{ number: 1, status: 'on' }] });
  expect(copied).toEqual(original);
  world.rebuild();
  expect(linesOf(await world.prompt())).toEqual(original);
});

test('a failed call before one that works in the same answer is counted with it', async () => {
  const world = await compressedWorld();
  world.say('go on');
  await world.prompt();
  const scope = {
    session: world.transcript.session,
    turnId: 't9',
    senderIds: [],
    signal: new AbortController().signal,
  };
  const call = (id: string, startId: string, endId: string) => {
    const content = [{ startId, endId, summary: 'Of ships.' }];
    return world.engine.handleToolCall(
      { id, name: 'compress', arguments: JSON.stringify({ topic: 'ships', content }) },
      scope,
      world.transcript,
    );
  };

  const failed = await call('a', 'm0900', 'm0901');
  const made = await call('b', 'm0003', 'm0004');
  world.store(failed.stateChange);
  world.applyPlan(made.plan!);

  expect(failed.plan).toBeUndefined();
  expect(world.state.counters).toMatchObject({ compressCalls: 3, compressFailures: 1 });
  expect(world.state.blocks).toHaveLength(2);
});

test('D30 a copy whose first request is refused keeps its blocks when room is made', async () => {
  const world = await compressedWorld();
  for (let turn = 0; turn < 40; turn++) {
    world.say(`question ${turn}`);
    world.answer(`answer ${turn}: ${words(3_000)}`);
  }
  world.say('and now?');
  world.state = emptyDcpState();
  world.rebuild();
  // What it hands out is void with its round.
  await world.engine.assemble(world.transcript, world.budget);

  const made = await world.room({ layer: 'overflow', trigger: 'emergency' });

  expect(made.kind).toBe('plan');
  expect(world.state.blocks[0]).toMatchObject({
    number: 1,
    author: 'model',
    body: 'The harbour was described.',
  });
  expect(world.state.blocks.length).toBeGreaterThan(1);
});
