/** Nobody has to wait for the sweeper: it is the net, not the way. */
import { expect, test } from 'vitest';
import { door } from '../support/busy-world.ts';
import { openTurnWorld } from '../support/turn-world.ts';

test('G11 messages that come in the moment a turn ends and its session is given back are answered at once', async () => {
  await using world = await openTurnWorld({
    script: ({ index }) => ({ text: `answer ${index + 1}` }),
    sweepSeconds: 300,
  });
  const lines = 40;

  for (let line = 1; line <= lines; line++) {
    await world.say(`Line ${line}.`);
    // Without a pause: what is said next arrives while the session goes back.
    while ((await world.heard()).length < line) await new Promise(setImmediate);
  }

  expect((await world.heard()).slice(-2)).toEqual([`answer ${lines - 1}`, `answer ${lines}`]);
});

test('G11 a worker that gives a session back with messages left wakes it itself', async () => {
  const first = door();
  await using world = await openTurnWorld({
    script: async ({ index }) => {
      if (index === 0) await first.opened;
      return { text: `answer ${index + 1}` };
    },
    config: 'worker: {max_turns_per_claim: 1}\ndisplay: {busy_input_mode: followup}',
    sweepSeconds: 300,
  });

  for (const line of ['one', 'two', 'three', 'four']) await world.say(line);
  first.open();

  expect(await world.hear(4, (text) => text.startsWith('answer'))).toEqual([
    'answer 1',
    'answer 2',
    'answer 3',
    'answer 4',
  ]);
});
