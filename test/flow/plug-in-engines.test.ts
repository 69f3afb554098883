/** Plug-in engines through whole turns: the example of the repository, and others that are broken on purpose. */
import { noticeMark } from '@palimpsest/core';
import type { ScriptRequest } from '@palimpsest/testkit';
import { expect, test } from 'vitest';
import { engineText, plugInFolder, warningLog } from '../support/plug-ins.ts';
import { openTurnWorld } from '../support/turn-world.ts';

const textsOf = (request: ScriptRequest): string[] =>
  request.messages.map((message) => message.text.replace(/^\[[^\]]*\]\s*/, ''));

test('a plug-in that is installed is not used until it is named', async () => {
  using folder = plugInFolder({ odd: engineText('odd') });
  const seen: ScriptRequest[] = [];
  await using world = await openTurnWorld({
    script: (request) => (seen.push(request), { text: 'yes' }),
    plugInFolder: folder.path,
  });

  await world.say('hello');
  await world.hear(1);
  await world.say('/status');

  expect((await world.hear(2)).at(-1)).toContain('Engine: compressor.');
  expect(seen[0]?.system).not.toContain('This is odd.');
});

test('a plug-in that the config names is used: its text stands in the prompt, its lines in /status', async () => {
  using folder = plugInFolder({ odd: engineText('odd') });
  const { logger, warnings } = warningLog();
  const seen: ScriptRequest[] = [];
  await using world = await openTurnWorld({
    script: (request) => (seen.push(request), { text: 'yes' }),
    config: 'context: { engine: odd }',
    plugInFolder: folder.path,
    logger,
  });

  await world.say('hello');
  await world.hear(1);
  await world.say('/status');

  expect((await world.hear(2)).at(-1)).toContain('I am odd.');
  expect(seen[0]?.system).toContain('This is odd.');
  expect(warnings).toEqual([]);
});

test('/engine chooses another engine for this conversation from the next message on, and goes back', async () => {
  using folder = plugInFolder({ odd: engineText('odd') });
  const seen: ScriptRequest[] = [];
  await using world = await openTurnWorld({
    script: (request) => (seen.push(request), { text: `answer ${seen.length}` }),
    plugInFolder: folder.path,
  });

  await world.say('first');
  await world.hear(1);
  await world.say('/engine nothing-such');
  await world.hear(2);
  await world.say('/engine odd');
  await world.hear(3);
  await world.say('second');
  await world.hear(4);
  await world.say('/engine');
  await world.hear(5);
  await world.say('/engine default');
  await world.hear(6);
  await world.say('third');
  const heard = await world.hear(7);

  const names =
    'There are: compressor, lcm, dcp, odd. /engine NAME chooses one, /engine default goes back to the setting of the service.';
  expect(heard.filter((text) => !text.startsWith('answer')).map(withoutMark)).toEqual([
    `There is no context engine “nothing-such”. ${names}`,
    'From the next message on this conversation runs on odd. The model then reads it once at the full price.',
    `This conversation runs on the context engine odd. It is chosen for this conversation. ${names}`,
    'From the next message on this conversation runs on compressor, as the service is set. The model then reads it once at the full price.',
  ]);
  expect(seen.map(({ system }) => system.includes('This is odd.'))).toEqual([false, true, false]);
  expect(textsOf(seen[2]!)).toEqual(['first', 'answer 1', 'second', 'answer 2', 'third']);
});

test.each([
  [
    'throws when it is loaded',
    `throw new Error('odd is broken'); // registerContextEngine`,
    'it failed while it was loaded: Error: odd is broken',
  ],
  [
    'registers nothing',
    `export function register() {} // registerContextEngine`,
    'its function register did not call registerContextEngine',
  ],
  [
    'exports nothing',
    `export const registerContextEngine = 1;`,
    'it failed while it was loaded: TypeError: it exports no function register',
  ],
  ['has another name', engineText('even'), 'it registered the name "even"; it must be that of its folder'],
  [
    'never calls the registration',
    `export const nothing = 1;`,
    'its folder holds no index.ts, index.js or index.mjs that calls registerContextEngine',
  ],
])(
  'a plug-in that %s: the turn is answered with the compressor, and the log says why',
  async (_what, text, problem) => {
    using folder = plugInFolder({ odd: text });
    const { logger, warnings } = warningLog();
    await using world = await openTurnWorld({
      script: () => ({ text: 'yes' }),
      config: 'context: { engine: odd }',
      plugInFolder: folder.path,
      logger,
    });

    await world.say('hello');

    expect(await world.hear(1)).toEqual(['yes']);
    expect(warnings).toContainEqual({
      fields: { engine: 'odd', problem },
      message: 'a plug-in engine cannot be used',
    });
    expect(warnings.at(-1)?.message).toBe(
      `context engine "odd" cannot be used: ${problem}; the compressor takes its place`,
    );
  },
);

test.each([
  ['lacks members', 'enter: undefined, commands: undefined', 'create', 'it lacks enter, commands'],
  ['has another name inside', 'name: "even"', 'create', 'its name is another than that of its folder'],
  [
    'throws in assemble',
    'assemble: () => { throw new RangeError("a private word") }',
    'assemble',
    'RangeError',
  ],
  ['assembles nothing', 'assemble: async () => ({ messages: [] })', 'assemble', 'its answer makes no sense'],
  ['assembles rubbish', 'assemble: async () => ({ messages: [7] })', 'assemble', 'its answer makes no sense'],
  [
    'throws in shouldCompress',
    'shouldCompress: () => { throw new TypeError("x") }',
    'shouldCompress',
    'TypeError',
  ],
  [
    'throws in updateFromResponse',
    'updateFromResponse: () => { throw new TypeError("x") }',
    'updateFromResponse',
    'TypeError',
  ],
  [
    'throws at the start of a session',
    'onSessionStart: () => { throw new TypeError("x") }',
    'onSessionStart',
    'TypeError',
  ],
  [
    'offers a tool of ours',
    'getToolSchemas: () => [{ name: "session_search", description: "", parameters: {} }]',
    'getToolSchemas',
    'its answer makes no sense',
  ],
  [
    'changes the state of another engine',
    'updateFromResponse: () => ({ stateChange: { engine: "lcm", json: {} } })',
    'state',
    'it wanted to change the state of another engine',
  ],
])('a plug-in that %s does not take the turn with it', async (_what, members, member, problem) => {
  using folder = plugInFolder({ odd: engineText('odd', members) });
  const { logger, warnings } = warningLog();
  const seen: ScriptRequest[] = [];
  await using world = await openTurnWorld({
    script: (request) => (seen.push(request), { text: `answer ${seen.length}` }),
    config: 'context: { engine: odd }',
    plugInFolder: folder.path,
    logger,
  });

  await world.say('first');
  await world.hear(1);
  await world.say('second');

  expect(await world.hear(2)).toEqual(['answer 1', 'answer 2']);
  expect(textsOf(seen[1]!)).toEqual(['first', 'answer 1', 'second']);
  const told = warnings.find((warning) => warning.fields['member'] === member);
  expect(told?.message).toBe('a plug-in engine failed; the compressor stood in for it');
  expect(String(told?.fields['problem']).startsWith(problem)).toBe(true);
  expect(JSON.stringify(warnings)).not.toContain('a private word');
});

test('the example sets older turns aside when its trigger is reached, remembers how many, and they are found again', async () => {
  using folder = plugInFolder({ 'recent-turns': true });
  const { logger, warnings } = warningLog();
  const seen: ScriptRequest[] = [];
  await using world = await openTurnWorld({
    script: (request) => {
      seen.push(request);
      if (request.messages.at(-1)!.toolResults.length > 0)
        return { text: `found: ${request.messages.at(-1)!.toolResults[0]!.text}` };
      if (request.messages.at(-1)!.text.includes('What was the word'))
        return { toolCalls: [{ name: 'session_search', arguments: { query: 'heliotrope' } }] };
      return { text: `noted. ${'and so on '.repeat(200)}` };
    },
    window: 8_000,
    config: 'context: { engine: recent-turns }',
    plugInFolder: folder.path,
    logger,
  });

  // A turn that waits long enough for its room is told so: notices do not count.
  const isAnswer = (text: string): boolean => /^(noted|found)/.test(text);
  await world.say('The word is heliotrope.');
  await world.hear(1, isAnswer);
  for (let turn = 2; turn <= 14; turn++) {
    await world.say(`message ${turn} ${'of many words '.repeat(80)}`);
    await world.hear(turn, isAnswer);
  }
  await world.say('What was the word?');
  const heard = (await world.hear(15, isAnswer)).filter(isAnswer);
  const isCount = (text: string): boolean => text.includes('were set aside');
  await world.say('/set_aside');
  const answer = withoutMark((await world.hear(1, isCount)).find(isCount)!);

  expect(heard.at(-1)).toContain('The word is heliotrope.');
  expect(answer).toMatch(/^\d+ older messages were set aside\.$/);
  const archived = (await world.rows()).filter((row) => row.state === 'archived' && row.kind !== 'summary');
  expect(answer).toBe(`${archived.length} older messages were set aside.`);
  expect(archived.length).toBeGreaterThan(4);
  expect(world.model.violations).toEqual([]);
  expect(warnings).toEqual([]);
});

/** What the service says stands behind a mark of its own. */
function withoutMark(text: string): string {
  return text.replace(noticeMark, '').trim();
}
