/** /undo and /retry through the whole main path. */
import { expect, test } from 'vitest';
import type { ScriptRequest } from '@palimpsest/testkit';
import { answering, ask, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const calm = 'compression: {background: false, small_context_floor: null}';

/** `user Line 2.` of every message of the newest request. */
const read = (prompts: readonly ScriptRequest[]): string[] =>
  prompts
    .at(-1)!
    .messages.map(({ role, text }) => `${role} ${/Line \d+\.|number \d+/.exec(text)?.[0] ?? text}`);

const states = async (world: TurnWorld): Promise<string[]> =>
  (await world.rows()).map((row) => `${row.kind} ${row.state}`);

test('/undo takes the last exchange back: the model reads it no more, search finds it no more, nothing is deleted', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({ script: answering(prompts) });
  await talk(world, 3);

  const told = await ask(world, '/undo');

  expect(told).toBe('ℹ️ Taken back: the last exchange (2 messages). The model no longer reads or finds it.');
  await talk(world, 1);
  expect(read(prompts)).toEqual([
    'user Line 1.',
    'assistant number 1',
    'user Line 2.',
    'assistant number 2',
    'user Line 4.',
  ]);
  expect(await states(world)).toEqual([
    'person live',
    'assistant live',
    'person live',
    'assistant live',
    'person withdrawn',
    'assistant withdrawn',
    'person live',
    'assistant live',
  ]);
  const found = await world.store.transcript.search({ sessionId: await world.sessionId() }, 'line 3', {
    limit: 10,
    neighbours: 0,
    liveOfOwnSession: true,
  });
  expect(
    found
      .map((hit) => hit.row.parts)
      .flat()
      .some((part) => JSON.stringify(part).includes('Line 3.')),
  ).toBe(false);
  expect(world.model.violations).toEqual([]);
});

test('/undo N takes N exchanges back, and says when there were fewer', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({ script: answering(prompts) });
  await talk(world, 4);

  expect(await ask(world, '/undo 2')).toBe(
    'ℹ️ Taken back: the last 2 exchanges (4 messages). The model no longer reads or finds it.',
  );
  expect(await ask(world, '/undo 5')).toBe(
    'ℹ️ Taken back: the last 2 exchanges (4 messages). The model no longer reads or finds it. There were no more than that.',
  );
  expect(await ask(world, '/undo')).toBe('ℹ️ There is nothing to take back.');
  await talk(world, 1);
  expect(read(prompts)).toEqual(['user Line 5.']);
});

test.each(['0', '-1', 'two', '1.5', '99999'])(
  '/undo %s changes nothing and says what it takes',
  async (word) => {
    await using world = await openTurnWorld({ script: answering() });
    await talk(world, 1);

    expect(await ask(world, `/undo ${word}`)).toBe(
      'ℹ️ /undo takes a whole number from 1 to 1,000, such as /undo 2.',
    );
    expect(await states(world)).toEqual(['person live', 'assistant live']);
  },
);

test('/undo stops at the newest summary and says so', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000, config: calm });
  await talk(world, 16);
  await ask(world, '/compress');
  const before = await world.rows();
  const behind = before.slice(
    before.findLastIndex((row) => row.kind === 'summary' && row.state === 'live') + 1,
  );
  const exchanges = behind.filter((row) => row.kind === 'person').length;

  const told = await ask(world, '/undo 500');

  expect(told).toContain(`Taken back: the last ${exchanges} exchanges`);
  expect(told).toContain('Not 500: what was said before is told in a summary.');
  expect((await world.rows()).filter((row) => row.state === 'live').at(-1)!.kind).toMatch(
    /summary|assistant/,
  );
  expect(await ask(world, '/undo')).toContain('it cannot be taken back piece by piece');
  const now = await world.rows();
  expect(now.filter((row) => row.state === 'archived')).toEqual(
    before.filter((row) => row.state === 'archived'),
  );
  await talk(world, 1);
  expect(world.model.violations).toEqual([]);
});

test('/undo under lcm stops at the newest summary, and the doctor finds nothing broken', async () => {
  const prompts: ScriptRequest[] = [];
  const config = `context: {engine: lcm}\n${calm}`;
  await using world = await openTurnWorld({ script: answering(prompts), window: 16_000, config });
  await talk(world, 20);
  await ask(world, '/compress');

  const told = await ask(world, '/undo 500');

  expect(told).toMatch(/Taken back: .* Not 500: what was said before is told in a summary\./);
  const sessionId = await world.sessionId();
  const broken = async () =>
    (await world.store.lcm.doctor(sessionId)).filter((problem) => problem.severity === 'broken');
  expect(await broken()).toEqual([]);
  await talk(world, 2);
  expect(await broken()).toEqual([]);
  expect(prompts.at(-1)!.messages.some(({ text }) => text.includes('<summary id="sum_'))).toBe(true);
  expect(world.model.violations).toEqual([]);
});

test('an edit of what was taken back is no news to the model', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({ script: answering(prompts) });
  await talk(world, 1);
  const messageId = await world.say('my key is hunter2');
  await world.hear(2);
  await ask(world, '/undo');

  await world.say('my key is hunter3', messageId);
  await talk(world, 1);

  expect(read(prompts)).toEqual(['user Line 1.', 'assistant number 1', 'user Line 3.']);
  expect(await world.heard()).not.toContainEqual(expect.stringContaining('hunter'));
});

test('an edit that waited when its message was taken back is no news either', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({ script: answering(prompts) });
  const messageId = await world.say('Line 1. my key is hunter2');
  await world.hear(1);

  await world.say('my key is hunter3', messageId);
  await ask(world, '/undo');
  await talk(world, 1);

  expect(
    prompts
      .at(-1)!
      .messages.map(({ text }) => text)
      .join(),
  ).not.toContain('hunter');
});

test('/retry takes the last answer back and answers the same message again, which stands there once', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({ script: answering(prompts) });
  await talk(world, 2);

  await world.say('/retry');
  const replies = await world.hear(4);

  expect(replies[2]).toBe('ℹ️ Your last message is answered again; the answer before no longer counts.');
  expect(replies[3]).toContain('Noted, number 3.');
  expect(read(prompts)).toEqual(['user Line 1.', 'assistant number 1', 'user Line 2.']);
  expect(await states(world)).toEqual([
    'person live',
    'assistant live',
    'person live',
    'assistant withdrawn',
    'assistant live',
  ]);
  await talk(world, 1);
  expect(read(prompts)).toEqual([
    'user Line 1.',
    'assistant number 1',
    'user Line 2.',
    'assistant number 3',
    'user Line 4.',
  ]);
  const accepted = await world.history.accepted(await world.sessionId());
  expect(accepted.map(({ state, turnState }) => [state, turnState])).toEqual([
    ['done', 'answered'],
    ['done', 'answered'],
    ['done', 'answered'],
  ]);
  expect(world.model.violations).toEqual([]);
});

test('/retry answers a message whose first answer failed', async () => {
  let calls = 0;
  await using world = await openTurnWorld({
    script: () => {
      calls += 1;
      return calls === 1 ? { fault: 'bad_request' } : { text: 'Noted, at last.' };
    },
  });
  await world.say('hello');
  await world.hear(1);

  await world.say('/retry');
  const replies = await world.hear(3);

  expect(replies.at(-1)).toBe('Noted, at last.');
  expect(await states(world)).toEqual(['person live', 'assistant live']);
});

test('/retry says so when there is nothing, or only a summary, to answer', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000, config: calm });

  expect(await ask(world, '/retry')).toBe('ℹ️ There is nothing to answer again.');
  await talk(world, 16);
  await ask(world, '/compress');
  await ask(world, '/undo 500');
  expect(await ask(world, '/retry')).toMatch(/is told in a summary|is answered again/);
});
