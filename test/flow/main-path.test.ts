import { expect, test, vi } from 'vitest';
import type { Tool } from '@palimpsest/core';
import { textOfParts } from '@palimpsest/core';
import { openTurnWorld, pause } from '../support/turn-world.ts';

test('a message is stored, answered and delivered, and both lines stand in the transcript', async () => {
  await using world = await openTurnWorld({ script: () => ({ text: 'Hello Ada.' }) });

  await world.say('Hi there');

  expect(await world.hear(1)).toEqual(['Hello Ada.']);
  const rows = await world.rows();
  expect(rows.map((row) => [row.role, row.kind, row.state])).toEqual([
    ['user', 'person', 'live'],
    ['assistant', 'assistant', 'live'],
  ]);
  expect(rows[0]!.parts.find((part) => part.type === 'text')).toEqual({ type: 'text', text: 'Hi there' });
  expect(world.model.violations).toEqual([]);
});

test('what was said before is in the next prompt, and the system prompt stays byte for byte the same', async () => {
  const prompts: { system: string; texts: string[] }[] = [];
  await using world = await openTurnWorld({
    script: (request) => {
      prompts.push({ system: request.system, texts: request.messages.map((message) => message.text) });
      return { text: `answer ${prompts.length}` };
    },
  });

  await world.say('first');
  await world.hear(1);
  await world.say('second');
  await world.hear(2);

  expect(prompts[1]!.texts.map((text) => text.replace(/^\[[^\]]*\]\s*/, ''))).toEqual([
    'first',
    'answer 1',
    'second',
  ]);
  expect(prompts[1]!.system).toBe(prompts[0]!.system);
});

test('each tool round is stored whole, in order, before the answer', async () => {
  const ran: unknown[] = [];
  const weather: Tool = {
    repeatable: false,
    schema: {
      name: 'weather',
      description: 'tells the weather',
      parameters: { type: 'object', properties: {} },
    },
    run: async (input) => {
      ran.push(input);
      return { text: 'rain', isError: false };
    },
  };
  await using world = await openTurnWorld({
    tools: [weather],
    script: (request) =>
      request.messages.at(-1)!.toolResults.length > 0
        ? { text: 'It rains.' }
        : {
            text: 'Let me look.',
            toolCalls: [{ id: 'toolu_1', name: 'weather', arguments: { place: 'Oslo' } }],
          },
  });

  await world.say('How is the weather?');

  expect(await world.hear(1)).toEqual(['It rains.']);
  expect(ran).toEqual([{ place: 'Oslo' }]);
  const rows = await world.rows();
  expect(rows.map((row) => [row.role, row.step, row.part])).toEqual([
    ['user', 0, 0],
    ['assistant', 1, 0],
    ['tool', 1, 1],
    ['assistant', 2, 0],
  ]);
  expect(world.model.violations).toEqual([]);
});

test('a tool that does not exist, and arguments that are no JSON, are told to the model and the turn goes on', async () => {
  await using world = await openTurnWorld({
    script: (request) => {
      const results = request.messages.at(-1)!.toolResults;
      if (results.length > 0) return { text: results.map((result) => result.text).join(' | ') };
      return {
        toolCalls: [
          { id: 'toolu_a', name: 'nothing_like_it', arguments: {} },
          { id: 'toolu_b', name: 'session_search', arguments: '{"query": ' },
        ],
      };
    },
  });

  await world.say('go');

  const [answer] = await world.hear(1);
  expect(answer).toContain('there is no tool "nothing_like_it"');
  expect(answer).toContain('the arguments of session_search are not a JSON object');
});

test('messages that arrive while a turn runs are answered together, in one turn, and none is lost', async () => {
  const inputs: string[] = [];
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await using world = await openTurnWorld({
    script: async (request) => {
      inputs.push(request.messages.at(-1)!.text);
      if (inputs.length === 1) await held;
      return { text: `answer ${inputs.length}` };
    },
  });

  await world.say('one');
  while (inputs.length === 0) await pause();
  await world.say('two');
  await world.say('three');
  release();

  expect(await world.hear(2)).toEqual(['answer 1', 'answer 2']);
  expect(inputs).toHaveLength(2);
  expect(inputs[1]).toMatch(/two[\s\S]*three/);
});

test('/stop ends the running answer, keeps what was said, and the next message is answered', async () => {
  let calls = 0;
  await using world = await openTurnWorld({
    script: () => {
      calls += 1;
      return calls === 1
        ? { text: 'a very long answer '.repeat(200), chunkSize: 20, chunkDelayMs: 20 }
        : { text: 'fine' };
    },
  });

  await world.say('tell me everything');
  await vi.waitUntil(() => calls > 0, { timeout: 10_000, interval: 5 });
  await world.say('/stop');
  const [stopped] = await world.hear(1);
  await world.say('and now?');

  expect(stopped).toContain('ℹ️ Stopped.');
  expect((await world.hear(2)).at(-1)).toBe('fine');
  expect(await world.rows()).toHaveLength(stopped!.startsWith('ℹ️') ? 3 : 4);
});

test('/stop and /status with nothing running are answered at once', async () => {
  await using world = await openTurnWorld({ script: () => ({ text: 'hi' }) });
  await world.say('hello');
  await world.hear(1);

  await world.say('/stop');
  expect((await world.hear(2)).at(-1)).toBe('ℹ️ Nothing is running.');
  await world.say('/status');
  const status = (await world.hear(3)).at(-1)!;

  expect(status).toMatch(
    /^ℹ️ Context: \d+ % of 128,000 tokens \([\d,]+, counted by the model as of the last answer, /,
  );
  expect(status).toContain('\nNothing is running.\n');
});

test('/new archives the chapter under the same session; /reset begins another session', async () => {
  const lengths: number[] = [];
  await using world = await openTurnWorld({
    script: (request) => {
      lengths.push(request.messages.length);
      return { text: 'ok' };
    },
  });
  await world.say('my dog is called Rex');
  await world.hear(1);
  const first = await world.sessionId();

  await world.say('/new');
  await world.hear(2);
  await world.say('hello again');
  await world.hear(3);
  expect(await world.sessionId()).toBe(first);
  expect((await world.rows()).map((row) => row.state)).toEqual(['archived', 'archived', 'live', 'live']);
  const found = await world.store.transcript.search({ sessionId: first }, 'Rex', {
    limit: 5,
    neighbours: 1,
    liveOfOwnSession: false,
  });
  expect(found.map((hit) => textOfParts(hit.row.parts.filter((part) => part.type === 'text')))).toEqual([
    'my dog is called Rex',
  ]);

  await world.say('/reset');
  await world.hear(4);
  await world.say('who are you?');
  await world.hear(5);
  expect(await world.sessionId()).not.toBe(first);
  expect(lengths).toEqual([1, 1, 1]);
});

test('an edit before the answer replaces the text; an edit after it starts no turn and is told with the next message', async () => {
  const inputs: string[] = [];
  await using world = await openTurnWorld({
    script: (request) => {
      inputs.push(
        request.messages
          .filter((message) => message.role === 'user')
          .map((message) => message.text)
          .join('\n'),
      );
      return { text: `answer ${inputs.length}` };
    },
  });
  const id = await world.say('meet me at 5');
  await world.hear(1);

  await world.say('meet me at 6', id);
  await world.say('when do we meet?');

  expect(await world.hear(2)).toEqual(['answer 1', 'answer 2']);
  expect(inputs[1]).toContain('meet me at 5');
  expect(inputs[1]).toMatch(/corrected an earlier message to\][\s\S]*meet me at 6/);
});

test.each(['cut_stream', 'empty'] as const)(
  'an answer that is no whole one (%s) is asked for again, and comes once',
  async (fault) => {
    const endings = [
      { fault, text: 'The ferry leaves' },
      { text: 'The ferry leaves at nine.' },
      { text: 'At ten.' },
    ];
    let calls = 0;
    await using world = await openTurnWorld({ script: () => endings[calls++]! });

    await world.say('When does it leave?');
    await world.hear(1);
    await world.say('And the next one?');

    expect(await world.hear(2)).toEqual(['The ferry leaves at nine.', 'At ten.']);
    expect((await world.rows()).map(({ kind }) => kind)).toEqual([
      'person',
      'assistant',
      'person',
      'assistant',
    ]);
    expect(calls).toBe(3);
  },
);

test('when the model refuses for good, the person is told why in plain words and the message is kept', async () => {
  let broken = true;
  await using world = await openTurnWorld({
    script: () => (broken ? { fault: 'insufficient_quota' } : { text: 'back again' }),
  });

  await world.say('hello?');
  const [told] = await world.hear(1);
  broken = false;
  await world.say('still there?');

  expect(told).toMatch(/^ℹ️ The model account's limit is used up.*Your message is kept/);
  expect((await world.hear(2)).at(-1)).toBe('back again');
});

test('the chat shows a long message whole, and commands too, though the model sees a preview of the one and nothing of the others', async () => {
  const seen: string[] = [];
  await using world = await openTurnWorld({
    window: 8_000,
    script: (request) => {
      seen.push(request.messages.at(-1)!.text);
      return { text: 'got it' };
    },
  });
  const long = `begin ${'all of this is mine '.repeat(1_500)}end`;

  await world.say(long);
  await world.hear(1);
  await world.say('/help');
  await world.hear(2);

  const lines = await world.store.localChat.history('test', 20);
  expect(lines.map((line) => [line.role, line.kind])).toEqual([
    ['user', 'person'],
    ['assistant', 'assistant'],
    ['user', 'person'],
    ['assistant', 'notice'],
  ]);
  expect(lines[0]!.text).toBe(long);
  expect(lines[2]!.text).toBe('/help');
  expect(seen[0]!.length).toBeLessThan(long.length / 2);
  expect(seen[0]).toContain('read_payload');
});
