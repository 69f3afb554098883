/** /new and /reset while a turn runs: they do not wait for it. */
import { expect, test } from 'vitest';
import type { ScriptRequest } from '@palimpsest/testkit';
import { openTurnWorld, pause } from '../support/turn-world.ts';

/** The first answer takes longer than any test waits. */
async function slowWorld(prompts: ScriptRequest[]) {
  const ending = new AbortController();
  const world = await openTurnWorld({
    script: async (request) => {
      prompts.push(request);
      if (prompts.length === 1)
        await new Promise<void>((resolve) => ending.signal.addEventListener('abort', () => resolve()));
      return { text: `Noted, number ${prompts.length}.` };
    },
  });
  return {
    ...world,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await world[Symbol.asyncDispose]();
    },
  };
}

test.each([
  [
    '/new',
    'ℹ️ A new chapter begins. What was said before stays searchable. 2 waiting messages were dropped.',
  ],
  ['/reset', 'ℹ️ A fresh conversation begins. 2 waiting messages were dropped.'],
])('J3 %s during a running turn is handled at once, not queued behind it', async (command, told) => {
  const prompts: ScriptRequest[] = [];
  await using world = await slowWorld(prompts);
  await world.say('think for an hour');
  while (prompts.length === 0) await pause();
  await world.say('and then this');
  await world.say('and that');

  await world.say(command);
  await world.say('hello again');
  const replies = await world.hear(3);

  expect(replies).toEqual(['ℹ️ Stopped.', told, 'Noted, number 2.']);
  expect(prompts).toHaveLength(2);
  expect(prompts[1]!.messages.map(({ text }) => text.split('\n').at(-1))).toEqual(['hello again']);
});

test('with nothing running /new says nothing of a stop', async () => {
  await using world = await openTurnWorld({ script: () => ({ text: 'Noted.' }) });
  await world.say('hello');
  await world.hear(1);

  await world.say('/new');

  expect((await world.hear(2)).slice(1)).toEqual([
    'ℹ️ A new chapter begins. What was said before stays searchable.',
  ]);
});

test('G10 /stop with 50 messages waiting is obeyed at once, and they are answered afterwards', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await slowWorld(prompts);
  await world.say('think for an hour');
  while (prompts.length === 0) await pause();
  for (let index = 1; index <= 50; index++) await world.say(`and ${index}`);

  await world.say('/stop');
  const replies = await world.hear(4);

  // Twenty at most are answered together.
  expect(replies).toEqual(['ℹ️ Stopped.', 'Noted, number 2.', 'Noted, number 3.', 'Noted, number 4.']);
  const said = prompts
    .at(-1)!
    .messages.flatMap(({ role, text }) =>
      role === 'user' ? text.split('\n').filter((line) => line.startsWith('and ')) : [],
    );
  expect(said).toEqual(Array.from({ length: 50 }, (_, index) => `and ${index + 1}`));
});
