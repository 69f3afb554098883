/** What becomes of messages that come while an answer is being written: collect, followup, interrupt, steer. */
import type { Tool } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { busyWorld, door, said } from '../support/busy-world.ts';
import { pause } from '../support/turn-world.ts';

const mailStates = 'SELECT state, count(*)::int AS rows FROM mailbox GROUP BY state';

test('collect: what comes meanwhile is answered together, acknowledged once', async () => {
  const first = door();
  await using world = await busyWorld({
    mode: 'collect',
    ack: true,
    script: async (_request, { length }) => {
      if (length === 1) await first.opened;
      return { text: `answer ${length}` };
    },
  });
  await world.say('one');
  await world.prompted(1);
  await world.say('two');
  await world.say('three');
  const acknowledged = await world.hear(1);
  first.open();

  const replies = await world.hear(3);

  expect(acknowledged).toEqual([
    'ℹ️ I am still writing. What you send meanwhile is answered together, right after; /stop ends the answer.',
  ]);
  expect(replies.slice(1)).toEqual(['answer 1', 'answer 2']);
  expect(said(world.prompts[1])).toEqual(['one', 'two', 'three']);
  expect(await world.sql(mailStates)).toEqual([{ state: 'done', rows: 3 }]);
});

test('followup: each message has an answer of its own, in order', async () => {
  const first = door();
  await using world = await busyWorld({
    mode: 'followup',
    script: async (request, { length }) => {
      if (length === 1) await first.opened;
      return { text: `to ${said(request).at(-1)}` };
    },
  });
  await world.say('one');
  await world.prompted(1);
  await world.say('two');
  await world.say('three');
  first.open();

  expect(await world.hear(3)).toEqual(['to one', 'to two', 'to three']);
  expect(await world.sql(mailStates)).toEqual([{ state: 'done', rows: 3 }]);
});

test('interrupt: before its first word the answer gives way, and both messages are answered together', async () => {
  await using world = await busyWorld({
    mode: 'interrupt',
    script: (_request, { length }) => (length === 1 ? { fault: 'silent' } : { text: 'to both' }),
  });
  await world.say('one');
  await world.prompted(1);
  await world.say('two');

  expect(await world.hear(1)).toEqual(['to both']);
  expect(said(world.prompts[1])).toEqual(['one', 'two']);
  expect(await world.sql(mailStates)).toEqual([{ state: 'done', rows: 2 }]);
  expect(await world.sql('SELECT state FROM turns ORDER BY started_at')).toEqual([
    { state: 'stopped' },
    { state: 'answered' },
  ]);
});

test('interrupt: what was said so far stays, in the chat and for the model', async () => {
  await using world = await busyWorld({
    mode: 'interrupt',
    script: (_request, { length }) =>
      length === 1 ? { fault: 'stall', text: 'The press was' } : { text: 'As I said.' },
  });
  await world.say('tell me of the press');
  while ((await world.sql(`SELECT 1 AS one FROM turn_progress WHERE text <> ''`)).length === 0) await pause();
  await world.say('shorter, please');

  expect(await world.hear(2)).toEqual(['The press was\n\nℹ️ Stopped for your newer message.', 'As I said.']);
  expect(world.prompts[1]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(world.prompts[1]!.messages[1]!.text).toBe('The press was');
});

test('interrupt: a tool that runs is let go, its round is stored, and nothing is asked or said twice', async () => {
  const started = door();
  const dig: Tool = {
    repeatable: false,
    schema: { name: 'dig', description: 'digs', parameters: { type: 'object', properties: {} } },
    run: (_input, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ text: 'left off', isError: true }));
        started.open();
      }),
  };
  await using world = await busyWorld({
    mode: 'interrupt',
    tools: [dig],
    script: (_request, { length }) =>
      length === 1 ? { toolCalls: [{ name: 'dig', arguments: {} }] } : { text: 'I stopped digging.' },
  });
  await world.say('dig');
  await started.opened;
  await world.say('stop, there is a pipe');

  expect(await world.hear(1)).toEqual(['I stopped digging.']);
  expect(world.prompts).toHaveLength(2);
  expect(said(world.prompts[1])).toEqual(['dig', 'stop, there is a pipe']);
  expect((await world.rows()).map(({ kind }) => kind)).toEqual([
    'person',
    'assistant',
    'tool',
    'person',
    'assistant',
  ]);
});

test('steer: a message reaches the running turn after its tool call; one that comes later is answered next', async () => {
  const started = door();
  const dug = door();
  const last = door();
  const dig: Tool = {
    repeatable: false,
    schema: { name: 'dig', description: 'digs', parameters: { type: 'object', properties: {} } },
    run: async () => {
      started.open();
      await dug.opened;
      return { text: 'sand', isError: false };
    },
  };
  await using world = await busyWorld({
    mode: 'steer',
    tools: [dig],
    script: async (_request, { length }) => {
      if (length === 1) return { toolCalls: [{ name: 'dig', arguments: {} }] };
      if (length === 2) await last.opened;
      return { text: `answer ${length}` };
    },
  });
  await world.say('dig');
  await started.opened;
  await world.say('deeper');
  dug.open();
  await world.prompted(2);
  await world.say('thanks');
  last.open();

  expect(await world.hear(2)).toEqual(['answer 2', 'answer 3']);
  expect(said(world.prompts[1])).toEqual(['dig', 'deeper']);
  expect(said(world.prompts[2])).toEqual(['dig', 'deeper', 'thanks']);
  expect(world.model.violations).toEqual([]);
  const turns = await world.sql(
    `SELECT b.seq::int AS seq, b.state, dense_rank() OVER (ORDER BY t.started_at)::int AS turn
     FROM mailbox b JOIN turns t ON t.id = b.turn_id ORDER BY b.seq`,
  );
  expect(turns).toEqual([
    { seq: 1, state: 'done', turn: 1 },
    { seq: 2, state: 'done', turn: 1 },
    { seq: 3, state: 'done', turn: 2 },
  ]);
  expect((await world.rows()).map(({ kind }) => kind)).toEqual([
    'person',
    'assistant',
    'tool',
    'person',
    'assistant',
    'person',
    'assistant',
  ]);
});

test('steer: /retry answers all that the turn was given, once each', async () => {
  const started = door();
  const dug = door();
  const dig: Tool = {
    repeatable: true,
    schema: { name: 'dig', description: 'digs', parameters: { type: 'object', properties: {} } },
    run: async () => {
      started.open();
      await dug.opened;
      return { text: 'sand', isError: false };
    },
  };
  await using world = await busyWorld({
    mode: 'steer',
    tools: [dig],
    script: (_request, { length }) =>
      length === 1 ? { toolCalls: [{ name: 'dig', arguments: {} }] } : { text: `answer ${length}` },
  });
  await world.say('dig');
  await started.opened;
  await world.say('deeper');
  dug.open();
  await world.hear(1);
  await world.say('/retry');

  const replies = await world.hear(2, (text) => text.startsWith('answer'));

  expect(replies).toEqual(['answer 2', 'answer 3']);
  expect(said(world.prompts[2])).toEqual(['dig', 'deeper']);
});
