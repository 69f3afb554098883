/** /title, /sessions and /resume through the whole main path. */
import { expect, test } from 'vitest';
import type { ScriptRequest } from '@palimpsest/testkit';
import { answering, ask, talk } from '../support/talk.ts';
import { openTurnWorld } from '../support/turn-world.ts';

test('/title names a conversation, shows its name, and refuses a name that is taken or too long', async () => {
  await using world = await openTurnWorld({ script: answering() });
  await talk(world, 1);

  expect(await ask(world, '/title')).toBe('ℹ️ This conversation has no title yet; /title TEXT gives it one.');
  expect(await ask(world, '/title  Ferry \n times ')).toBe(
    'ℹ️ This conversation is called “Ferry times” from now on.',
  );
  expect(await ask(world, '/title')).toBe(
    'ℹ️ This conversation is called “Ferry times”; /title TEXT gives it another title.',
  );
  expect(await ask(world, `/title ${'x'.repeat(101)}`)).toBe(
    'ℹ️ A title has at most 100 characters; this one has 101.',
  );
  await ask(world, '/reset');
  expect(await ask(world, '/title FERRY TIMES')).toBe(
    'ℹ️ Another conversation here is called “FERRY TIMES” already; please choose another title.',
  );
});

test('/sessions lists the conversations here with title or last words, age and a short id', async () => {
  await using world = await openTurnWorld({ script: answering() });
  await talk(world, 1);
  await ask(world, '/title Ferry times');
  const first = await world.sessionId();
  await ask(world, '/reset');
  await talk(world, 2);
  const second = await world.sessionId();

  const [here, before, how, ...others] = (await ask(world, '/sessions')).split('\n');

  expect(here).toBe(
    `ℹ️ 1. Line 3. The ferry to the island leaves at nine from the old… (4 messages, this one, ${second.slice(-8)})`,
  );
  expect(before).toMatch(
    new RegExp(`^2\\. “Ferry times” \\(2 messages, (now|\\d+ seconds? ago), ${first.slice(-8)}\\)$`),
  );
  expect(how).toBe('/resume NUMBER goes on with one of them.');
  expect(others).toEqual([]);
  expect(await ask(world, '/sessions ferry')).toMatch(/^ℹ️ 2\. “Ferry times”/);
  expect(await ask(world, '/sessions harbour')).toBe(
    'ℹ️ No conversation here has “harbour” in its title or id.',
  );
});

test('/resume goes on with an earlier conversation, which was ended by /reset, and back', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({ script: answering(prompts) });
  await talk(world, 1);
  const first = await world.sessionId();
  await ask(world, '/title Ferry times');
  await ask(world, '/reset');
  await talk(world, 1);
  const second = await world.sessionId();

  const told = await ask(world, '/resume 2');
  await talk(world, 1);

  expect(told).toBe(
    `ℹ️ This chat goes on with “Ferry times” (2 messages). /resume ${second.slice(-8)} goes back; nothing of either is lost.`,
  );
  expect(prompts.at(-1)!.messages.map(({ text }) => /Line \d|number \d/.exec(text)?.[0])).toEqual([
    'Line 1',
    'number 1',
    'Line 3',
  ]);
  expect(await world.store.operators.session(first)).toMatchObject({ endedAt: null });
  await ask(world, `/resume ${second.slice(-8)}`);
  await talk(world, 1);
  expect(prompts.at(-1)!.messages.map(({ text }) => /Line \d|number \d/.exec(text)?.[0])).toEqual([
    'Line 2',
    'number 2',
    'Line 4',
  ]);
  await ask(world, '/resume FERRY times');
  expect(await ask(world, '/resume Ferry times')).toBe('ℹ️ This chat is in “Ferry times” already.');
  expect(world.model.violations).toEqual([]);
});

test.each(['', '7', 'deadbeef', 'nobody knows it', '20990101_000000_deadbeef'])(
  '/resume %s moves nothing and says how it goes',
  async (word) => {
    await using world = await openTurnWorld({ script: answering() });
    await talk(world, 1);

    expect(await ask(world, `/resume ${word}`)).toMatch(
      /\/sessions shows them; \/resume takes a number of that list, an id or a title\.$/,
    );
  },
);

test('what waits behind /resume is answered in the conversation that goes on, once and in order', async () => {
  const prompts: ScriptRequest[] = [];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const isHeld = (request: ScriptRequest): boolean => request.messages.at(-1)!.text.includes('hold');
  const answer = answering(prompts);
  await using world = await openTurnWorld({
    script: async (request) => {
      if (isHeld(request)) await held;
      return answer(request);
    },
  });
  await talk(world, 1);
  const first = await world.sessionId();
  await ask(world, '/reset');
  await world.say('hold');
  while ((await world.store.turns.waitingMail(await world.sessionId())).messages > 0) await Promise.resolve();

  await world.say('/resume 2');
  await world.say('what was line one?');
  await world.say('/title Taken up');
  release();
  await world.hear(1, (text) => text.includes('called “Taken up”'));

  expect(prompts.at(-1)!.messages.map(({ text }) => /Line \d|number \d|what.*/.exec(text)?.[0])).toEqual([
    'Line 1',
    'number 1',
    'what was line one?',
  ]);
  expect(await world.store.operators.session(first)).toMatchObject({ title: 'Taken up', pending: 0 });
  expect((await world.heard()).filter((text) => text.startsWith('Noted'))).toHaveLength(3);
});
