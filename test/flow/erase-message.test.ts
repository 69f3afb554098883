/** A deleted message, under each engine: what it said is nowhere afterwards, and the conversation goes on. */
import { expect, test } from 'vitest';
import { followNudges, type ModelScript, type ScriptRequest } from '@palimpsest/testkit';
import { deleted, nowhere, phrase, sayPhrase, telling } from '../support/deletions.ts';
import { words } from '../support/memory-transcript.ts';
import { answering, ask, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

test('compressor: the summary over a deleted message is withdrawn, its rows are read again and condensed without it', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({
    script: answering(prompts),
    summariser: telling(),
    window: 32_000,
  });
  await talk(world, 2);
  const messageId = await sayPhrase(world);
  await talk(world, 14);
  await ask(world, '/compress');
  expect(Object.keys(await world.store.erase.traces(nowhere))).toContain('messages.parts');

  const answer = await deleted(world, messageId);

  expect(answer).toBe('Erased 1 messages, 0 quotes, 1 summaries.');
  expect(await world.store.erase.traces(nowhere)).toEqual({});
  const rows = await world.rows();
  expect(rows.filter((row) => row.kind === 'summary').map((row) => row.state)).toEqual(['withdrawn']);
  expect(rows.filter((row) => row.kind !== 'summary').every((row) => row.state === 'live')).toBe(true);
  expect(rows[4]!.parts).toEqual([{ type: 'text', text: '[This message was erased.]' }]);
  expect(await ask(world, '/undo_compaction')).toBe('ℹ️ There is no condensing to take back.');
  await talk(world, 1);
  expect(prompts.at(-1)!.messages[4]!.text).toBe('[This message was erased.]');
  expect(await ask(world, '/compress')).toContain('Condensed');
  expect(await world.store.erase.traces(nowhere)).toEqual({});
  expect(world.model.violations).toEqual([]);
}, 120_000);

test('compressor: summaries of summaries over it go too, and what is too much then is condensed at the next turn', async () => {
  await using world = await openTurnWorld({
    script: answering(),
    summariser: telling(),
    window: 16_000,
    config: 'compression: {background: false, threshold: 0.5, small_context_floor: null}',
  });
  await talk(world, 3);
  const messageId = await sayPhrase(world);
  while ((await compactions(world)) < 4) await talk(world, 1);

  await deleted(world, messageId);

  expect(await world.store.erase.traces(nowhere)).toEqual({});
  const live = (await world.rows()).filter((row) => row.state === 'live');
  expect(live.filter((row) => row.kind === 'summary')).toEqual([]);
  const before = await compactions(world);
  await talk(world, 1);
  expect(await compactions(world)).toBeGreaterThan(before);
  expect(await world.store.erase.traces(nowhere)).toEqual({});
  expect(world.model.violations).toEqual([]);
  expect(world.model.refused).toBe(0);
}, 120_000);

test('what quotes it loses the words and no more', async () => {
  const script: ModelScript = (request) => ({
    text: `Noted: "${phrase}" was said. ${request.messages.length}`,
  });
  await using world = await openTurnWorld({ script, window: 32_000 });
  const messageId = await sayPhrase(world);

  const answer = await deleted(world, messageId);

  expect(answer).toBe('Erased 1 messages, 1 quotes, 0 summaries.');
  expect(await world.store.erase.traces(nowhere)).toEqual({});
  expect(await world.heard()).toEqual(['Noted: "[erased]" was said. 1']);
  const found = await world.store.transcript.search({ sessionId: await world.sessionId() }, 'heliotrope', {
    limit: 5,
    neighbours: 0,
    liveOfOwnSession: true,
  });
  expect(found).toEqual([]);
}, 120_000);

test('lcm: nodes over it and since go, what lay before it stays condensed, and the graph is sound', async () => {
  await using world = await openTurnWorld({
    script: answering(),
    summariser: telling(),
    window: 16_000,
    config: 'context: { engine: lcm }',
  });
  await talk(world, 1);
  const sessionId = await world.sessionId();
  while ((await world.store.lcm.heads(sessionId)).length === 0) await talk(world, 1);
  const messageId = await sayPhrase(world);
  while ((await world.store.lcm.heads(sessionId)).every((node) => node.depth === 0)) await talk(world, 1);

  expect(Object.keys(await world.store.erase.traces(nowhere))).toContain('lcm_summaries.content');

  await deleted(world, messageId);

  expect(await world.store.erase.traces(nowhere)).toEqual({});
  const problems = await world.store.lcm.doctor(sessionId);
  expect(problems.filter((problem) => problem.severity === 'broken')).toEqual([]);
  expect((await world.store.lcm.load(sessionId)).items.length).toBeGreaterThan(0);
  await talk(world, 3);
  const after = await world.store.lcm.doctor(sessionId);
  expect(after.filter((problem) => problem.severity === 'broken')).toEqual([]);
  expect(await world.store.erase.traces(nowhere)).toEqual({});
  expect(world.model.violations).toEqual([]);
  expect(world.model.refused).toBe(0);
}, 120_000);

test('dcp: blocks over it are tainted, the calls that wrote them are emptied, and the model goes on', async () => {
  const talker: ModelScript = () => ({ text: `Noted. ${words(500)}` });
  let isThere = true;
  const follower = followNudges(talker);
  const script: ModelScript = async (request) => {
    const answer = await follower(request);
    const topic = isThere ? 'the zanzibar locker' : 'finished earlier work';
    return JSON.parse(JSON.stringify(answer).replaceAll('finished earlier work', topic)) as typeof answer;
  };
  await using world = await openTurnWorld({ script, window: 16_000, config: 'context: { engine: dcp }' });
  const messageId = await sayPhrase(world);
  const sessionId = await world.sessionId();
  const isOver = async () =>
    (await world.store.dcp.blocks(sessionId)).some((block) => block.activity === 'active');
  while (!(await isOver())) await talk(world, 1);

  expect(Object.keys(await world.store.erase.traces(nowhere))).toContain('dcp_block.topic');

  isThere = false;
  await deleted(world, messageId);

  expect(await world.store.erase.traces(nowhere)).toEqual({});
  const blocks = await world.store.dcp.blocks(sessionId);
  expect(blocks.filter((block) => block.activity === 'tainted').map((block) => block.body)).toContain('');
  await talk(world, 4);
  expect(await world.store.erase.traces(nowhere)).toEqual({});
  expect(world.model.violations).toEqual([]);
  expect(world.model.refused).toBe(0);
}, 120_000);

async function compactions(world: TurnWorld): Promise<number> {
  const sessionId = await world.sessionId();
  return (await world.store.compactions.ledger({ sessionId, limit: 50 })).filter(
    (row) => row.trigger !== 'undo' && row.figures !== null,
  ).length;
}
