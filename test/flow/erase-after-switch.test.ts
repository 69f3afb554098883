/** A deleted message that several engines, or a session before a rotation, have condensed. */
import { expect, test } from 'vitest';
import { deleted, nowhere, sayPhrase, telling } from '../support/deletions.ts';
import { answering, ask, isAnswer, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const open = (config?: string): Promise<TurnWorld> =>
  openTurnWorld({ script: answering(), summariser: telling(), window: 16_000, config });

const brokenRules = async (world: TurnWorld, sessionId: string) =>
  (await world.store.lcm.doctor(sessionId)).filter((problem) => problem.severity === 'broken');

test('a summary of the compressor that became a node: both go, and the graph is sound', async () => {
  await using world = await open();
  await talk(world, 2);
  const messageId = await sayPhrase(world);
  await talk(world, 10);
  await ask(world, '/compress');
  const sessionId = await world.sessionId();
  await ask(world, '/engine lcm');
  await talk(world, 1);
  expect((await world.store.lcm.heads(sessionId)).length).toBeGreaterThan(0);

  await deleted(world, messageId);

  expect(await world.store.erase.traces(nowhere)).toEqual({});
  expect(await brokenRules(world, sessionId)).toEqual([]);
  await talk(world, 3);
  expect(await brokenRules(world, sessionId)).toEqual([]);
  expect(await world.store.erase.traces(nowhere)).toEqual({});
  expect(world.model.violations).toEqual([]);
}, 120_000);

test('nodes that were left for a summary row: both go, and a later return to the engine is sound', async () => {
  await using world = await open('context: { engine: lcm }');
  await talk(world, 1);
  const messageId = await sayPhrase(world);
  const sessionId = await world.sessionId();
  while ((await world.store.lcm.heads(sessionId)).length < 2) await talk(world, 1);
  await ask(world, '/engine compressor');
  await talk(world, 1);

  await deleted(world, messageId);

  expect(await world.store.erase.traces(nowhere)).toEqual({});
  await talk(world, 2);
  await ask(world, '/engine lcm');
  await talk(world, 3);
  expect(await brokenRules(world, sessionId)).toEqual([]);
  expect(await world.store.erase.traces(nowhere)).toEqual({});
  expect(world.model.violations).toEqual([]);
}, 120_000);

test('after a chapter: nothing of it comes back into the prompt, and taking the chapter back does not lose a row', async () => {
  await using world = await open();
  await talk(world, 2);
  const messageId = await sayPhrase(world);
  await talk(world, 10);
  await ask(world, '/compress');
  await ask(world, '/new');
  await talk(world, 1);

  await deleted(world, messageId);

  expect(await world.store.erase.traces(nowhere)).toEqual({});
  expect((await world.rows()).filter((row) => row.state === 'live')).toHaveLength(2);
  expect(await ask(world, '/undo_compaction')).toContain('Taken back');
  const rows = (await world.rows()).filter((row) => row.kind !== 'summary');
  expect(rows).toHaveLength(28);
  expect(rows.every((row) => row.state === 'live')).toBe(true);
}, 120_000);

test('in rotation the summary in the session that goes on is blanked, and the old session keeps no word of it', async () => {
  await using world = await open('compression: { in_place: false }');
  await talk(world, 3);
  const messageId = await sayPhrase(world);
  const first = await world.sessionId();
  await talk(world, 12);
  await ask(world, '/compress');
  expect(await world.sessionId()).not.toBe(first);
  expect(Object.keys(await world.store.erase.traces(nowhere))).toContain('messages.parts');

  await deleted(world, messageId);

  expect(await world.store.erase.traces(nowhere)).toEqual({});
  const before = (await world.heard()).filter(isAnswer).length;
  await talk(world, 1);
  expect((await world.heard()).filter(isAnswer)).toHaveLength(before + 1);
  const summaries = (await world.rows()).filter((row) => row.kind === 'summary' && row.state === 'live');
  expect(summaries.map((row) => row.parts)).toEqual([
    [{ type: 'text', text: expect.stringContaining('was erased together with one of them') }],
  ]);
  expect(world.model.violations).toEqual([]);
}, 120_000);
