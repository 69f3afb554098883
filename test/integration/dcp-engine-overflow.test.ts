import { expect, test } from 'vitest';
import { ignoreNudges, type ModelScript } from '@palimpsest/testkit';
import { words } from '../support/memory-transcript.ts';
import { openTurnWorld } from '../support/turn-world.ts';

test('a prompt that the provider refuses is made smaller once and answered, and the session goes on', async () => {
  let refusals = 0;
  const script: ModelScript = (request) => {
    const asked = request.messages.at(-1)?.text ?? '';
    // The eighth question is refused the first time.
    if (asked.includes('question 8:') && refusals++ === 0) return { fault: 'overflow' };
    return { text: `answer ${words(500)}` };
  };
  await using world = await openTurnWorld({
    script: ignoreNudges(script),
    window: 16_000,
    config: 'context: { engine: dcp }',
  });

  for (let turn = 1; turn <= 10; turn++) {
    await world.say(`question ${turn}: ${words(200)}`);
    await world.hear(turn, (text) => text.startsWith('answer'));
  }

  const id = await world.sessionId();
  const blocks = await world.store.dcp.blocks(id);
  const state = await world.store.dcp.load(id);
  expect(blocks).toMatchObject([{ number: 1, author: 'host_emergency', activity: 'active' }]);
  expect(state.counters.emergencies).toBe(1);
  // Ten questions and ten answers; the last answer gets its ref with the next request.
  expect(state.refs.size).toBe(19);
  expect(world.model.violations).toEqual([]);
}, 60_000);

test('/compress asks the model once with the next message, and says so', async () => {
  const prompts: string[] = [];
  const script: ModelScript = (request) => {
    prompts.push(request.messages.at(-1)?.text ?? '');
    return { text: `answer ${words(50)}` };
  };
  await using world = await openTurnWorld({ script, window: 32_000, config: 'context: { engine: dcp }' });
  for (let turn = 1; turn <= 3; turn++) {
    await world.say(`question ${turn}`);
    await world.hear(turn);
  }

  await world.say('/compress the parser');
  const [, , , told] = await world.hear(4);
  await world.say('go on');
  await world.hear(5);
  await world.say('and on');
  await world.hear(6);

  expect(told).toContain('With your next message the model is asked to condense');
  expect(prompts.map((text) => text.includes('Keep in detail what concerns: "the parser"'))).toEqual([
    false,
    false,
    false,
    true,
    false,
  ]);
}, 60_000);

test('/compress is a wish and no compaction: nothing is told of one, counted as one or taken back as one', async () => {
  const script: ModelScript = () => ({ text: `answer ${words(50)}` });
  await using world = await openTurnWorld({ script, window: 32_000, config: 'context: { engine: dcp }' });
  for (let turn = 1; turn <= 3; turn++) {
    await world.say(`question ${turn}`);
    await world.hear(turn);
  }
  const sessionId = await world.sessionId();
  const before = await world.store.turns.session(sessionId);

  await world.say('/compress --preview');
  await world.say('/compress the parser');
  await world.say('/undo_compaction');
  const told = (await world.hear(6)).slice(3).join('\n');
  const after = await world.store.turns.session(sessionId);

  expect(told).toContain('Preview: nothing would change. The model condenses this conversation itself');
  expect(told).toContain('There is no condensing to take back.');
  expect(await world.store.compactions.ledger({ sessionId, limit: 5 })).toMatchObject([
    { layer: 'manual', outcome: 'noop', reason: 'model_asked', figures: null },
  ]);
  expect(await world.history.countEvents([sessionId], 'session:compress')).toBe(0);
  expect(after).toMatchObject({ compactionCount: 0, lastPromptTokens: before!.lastPromptTokens });
  expect((await world.store.dcp.load(sessionId)).grant).toEqual({ focus: 'the parser', isShown: false });
}, 60_000);

test('/dcp answers in the chat, and neither question nor answer reaches the model', async () => {
  const prompts: string[] = [];
  const script: ModelScript = (request) => {
    prompts.push(JSON.stringify(request.messages));
    return { text: 'yes' };
  };
  await using world = await openTurnWorld({ script, window: 32_000, config: 'context: { engine: dcp }' });
  await world.say('hello');
  await world.hear(1);

  await world.say('/dcp manual on');
  const [, told] = await world.hear(2);
  await world.say('go on');
  await world.hear(3);

  expect(told).toContain('Manual mode is on');
  expect(prompts.at(-1)).not.toMatch(/manual/i);
  expect((await world.store.dcp.load(await world.sessionId())).manualMode).toBe(true);
}, 60_000);
