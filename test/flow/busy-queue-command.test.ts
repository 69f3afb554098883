/** /queue MODE: what becomes of messages that come while an answer is being written, chosen for one conversation. */
import { expect, test } from 'vitest';
import { busyWorld, door, said } from '../support/busy-world.ts';

test('/queue MODE holds for this conversation, the running turn included, until /queue default', async () => {
  const first = door();
  await using world = await busyWorld({
    mode: 'collect',
    script: async (request, { length }) => {
      if (length === 1) await first.opened;
      return { text: `to ${said(request).at(-1)}` };
    },
  });
  const isNotice = (text: string): boolean => text.startsWith('ℹ️');
  await world.say('one');
  await world.prompted(1);
  await world.say('/queue Followup');
  await world.hear(1, isNotice);
  await world.say('two');
  await world.say('three');
  first.open();
  const answers = await world.hear(3, (text) => !isNotice(text));
  await world.say('/queue sideways');
  await world.hear(2, isNotice);
  await world.say('/queue default');

  const notices = await world.hear(3, isNotice);

  expect(answers).toEqual(['to one', 'to two', 'to three']);
  expect(notices).toEqual([
    'ℹ️ While I write, what you send meanwhile is answered one by one, right after (followup, chosen for this conversation).',
    'ℹ️ There is no mode “sideways”; nothing is changed. There are: collect, followup, interrupt, steer; default goes back to the setting of the service.',
    'ℹ️ While I write, what you send meanwhile is answered together, right after (collect, as the service is set).',
  ]);
  expect(await world.sql('SELECT busy_mode FROM sessions')).toEqual([{ busy_mode: null }]);
});

test('/queue interrupt while an answer is written: the next message stops it', async () => {
  await using world = await busyWorld({
    mode: 'followup',
    ack: true,
    script: (_request, { length }) => (length === 1 ? { fault: 'silent' } : { text: 'to both' }),
  });
  await world.say('one');
  await world.prompted(1);
  await world.say('two');
  await world.hear(1);

  await world.say('/queue interrupt');

  expect(await world.hear(3)).toEqual([
    'ℹ️ I am still writing. What you send meanwhile is answered one by one, right after; /stop ends the answer.',
    'ℹ️ While I write, a new message stops the answer and is answered at once (interrupt, chosen for this conversation).',
    'to both',
  ]);
  expect(said(world.prompts[1])).toEqual(['one', 'two']);
});
