import { expect, test } from 'vitest';
import { failing, longWorld, planOf, sizeOf, windowTokens } from '../../support/dcp-room.ts';
import { DcpWorld, linesOf } from '../../support/dcp-world.ts';
import { words } from '../../support/memory-transcript.ts';

test('past the hard limit even observe makes room: the turn could not go on', async () => {
  const world = longWorld(35, { hygiene: 'observe' });

  planOf(await world.room({ layer: 'hygiene' }));

  expect(world.state.blocks).toMatchObject([{ author: 'host_emergency' }]);
});

test('a refused prompt: old repeats and oversized outputs are left out first, then a block is made', async () => {
  const world = new DcpWorld({ windowTokens });
  world.say('begin');
  for (let call = 0; call < 9; call++)
    world.step([{ id: `c${call}`, args: `{"n":${call}}`, result: `start ${words(2_400)} end` }]);
  for (let call = 0; call < 12; call++)
    world.step([{ id: `d${call}`, args: `{"m":${call}}`, result: words(1_500) }]);

  const plan = planOf(await world.room({ layer: 'overflow', trigger: 'emergency' }));
  const text = linesOf(await world.prompt()).join('\n');

  expect(plan.figures.toolResultsPruned).toBe(9);
  expect(world.state.marks.every((mark) => mark.reason === 'oversized')).toBe(true);
  // The run of this emergency, by which an undo finds them; the next one has a run of its own.
  expect(new Set(world.state.marks.map((mark) => mark.run))).toEqual(new Set([1]));
  expect(world.state.nextRun).toBe(2);
  expect(world.state.counters.emergencies).toBe(1);
  expect(sizeOf(world)).toBeLessThan(28_800 * 0.85);
  expect(text).toContain('user: begin');
});

test('refs that went out with a refused request come with the plan, since its round is never stored', async () => {
  const world = longWorld(35);
  await world.engine.assemble(world.transcript, world.budget);

  planOf(await world.room({ layer: 'overflow', trigger: 'emergency' }));

  expect(world.state.refs.size).toBe(71);
  expect(world.state.nextRef).toBe(72);
});

test('when the summariser fails in an emergency the block is written without it, and the failure is told', async () => {
  const world = longWorld(35);

  const plan = planOf(await world.room({ layer: 'overflow', trigger: 'emergency' }, failing()));

  expect(plan).toMatchObject({
    outcome: 'deterministic',
    reason: 'summary_provider_5xx',
    summaryModel: 'summary-model',
    cooldownMs: 60_000,
  });
  expect(world.state.blocks).toMatchObject([{ author: 'host_emergency' }]);
  expect(sizeOf(world)).toBeLessThan(28_800);
});

test('a prompt whose newest messages alone are too large still shrinks until the turn can go on', async () => {
  const world = new DcpWorld({ windowTokens });
  world.say('do it');
  for (let call = 0; call < 6; call++)
    world.step([{ id: `c${call}`, args: `{"n":${call}}`, result: words(7_000) }]);

  planOf(await world.room({ layer: 'agent', trigger: 'preflight', mode: 'local' }));

  expect(sizeOf(world)).toBeLessThan(28_800);
  expect(linesOf(await world.prompt()).join('\n')).toContain('user: do it');
});

test('where nothing can be taken out there is no plan, so that nothing is asked again', async () => {
  const world = new DcpWorld({ windowTokens });
  world.say(words(40_000));

  const made = await world.room({ layer: 'overflow', trigger: 'emergency' });

  expect(made).toMatchObject({ kind: 'none', outcome: 'noop', reason: 'protected_only' });
});

test('10,000 rows that were never compressed become a prompt that fits, in one go and without a model', async () => {
  const world = longWorld(0);
  for (let turn = 0; turn < 5_000; turn++) {
    world.say(`question ${turn}: ${words(30)}`);
    world.answer(`answer ${turn}: ${words(60)}`);
  }
  world.say('and now?');

  planOf(await world.room({ layer: 'agent', trigger: 'preflight', mode: 'local' }));

  expect(sizeOf(world)).toBeLessThan(28_800 * 0.85);
  expect(world.transcript.rows).toHaveLength(10_002);
});
