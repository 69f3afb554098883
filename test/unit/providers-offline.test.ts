import type { ModelClient, ModelEvent, ModelRequest, Part, PromptMessage } from '@palimpsest/core';
import { defaultConfig, systemClock } from '@palimpsest/core';
import { createModelClient } from '@palimpsest/providers';
import { expect, test } from 'vitest';

const client: ModelClient = createModelClient({
  config: defaultConfig(),
  keys: {},
  clock: systemClock,
  random: () => 0,
});
const search = { name: 'session_search', description: 'x', parameters: { type: 'object' } };
const say = (value: string): PromptMessage => ({
  role: 'user',
  parts: [
    { type: 'header', text: '[12:00] Ada:' },
    { type: 'text', text: value },
  ],
});

function request(messages: PromptMessage[], more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    sessionId: 's',
    system: ['prompt'],
    messages,
    tools: [search],
    maxTokens: 2000,
    purpose: 'turn',
    ...more,
  };
}

async function events(asked: ModelRequest, signal = new AbortController().signal): Promise<ModelEvent[]> {
  const seen: ModelEvent[] = [];
  for await (const event of client.stream(asked, signal)) seen.push(event);
  return seen;
}

async function answer(asked: ModelRequest): Promise<string> {
  return (await events(asked)).map((event) => (event.type === 'text' ? event.text : '')).join('');
}

function round(query: string, found: string): PromptMessage[] {
  const call: Part = {
    type: 'tool_call',
    id: 'c',
    name: 'session_search',
    arguments: JSON.stringify({ query }),
  };
  const result: Part = {
    type: 'tool_result',
    callId: 'c',
    name: 'session_search',
    text: found,
    isError: false,
  };
  return [
    { role: 'assistant', parts: [call] },
    { role: 'tool', parts: [result] },
  ];
}

test('without a key the offline responder answers, says so and repeats nothing', async () => {
  const said = await answer(request([say('my password is hunter2')]));

  expect(said).toContain('(offline responder)');
  expect(said).toContain('ANTHROPIC_API_KEY');
  expect(said).not.toContain('hunter2');
});

test('its answer comes in words and ends with figures', async () => {
  const seen = await events(request([say('hello')]));

  expect(seen.slice(0, 2)).toEqual([
    { type: 'text', text: '(offline ', block: 0 },
    { type: 'text', text: 'responder) ', block: 0 },
  ]);
  expect(seen.at(-1)).toMatchObject({ type: 'done', stop: 'end', usage: { cacheReadTokens: 0 } });
});

const questions: readonly [asked: string, query: string][] = [
  ['What did I say about the blue house?', 'the blue house'],
  ['what have we decided about rent', 'rent'],
  ['please find the invoice number.', 'the invoice number'],
  ['search for "red apples"!', '"red apples"'],
  ['Do you remember what I said about Lisbon?', 'Lisbon'],
  ['Was habe ich über das Auto gesagt?', 'das Auto'],
];

for (const [asked, query] of questions) {
  test(`"${asked}" calls session_search`, async () => {
    const [first, last] = await events(request([say(asked)]));

    expect(first).toMatchObject({
      type: 'tool_call',
      name: 'session_search',
      arguments: JSON.stringify({ query }),
    });
    expect(last).toMatchObject({ type: 'done', stop: 'tool_calls' });
  });
}

test('it answers from what was found', async () => {
  const found = 'message 7 (archived):\n  [11:00] Ada (id 6): hm\n> [11:01] Ada (id 7): the house is blue';

  expect(await answer(request([say('find house'), ...round('house', found)]))).toBe(
    '(offline responder) About "house" I found:\n- 11:01, Ada: the house is blue',
  );
});

test('what still stands in the conversation counts too', async () => {
  const messages = [
    say('The Blue   house is mine'),
    say('find blue house'),
    ...round('blue house', 'Nothing found. Try other or fewer words.'),
  ];

  expect(await answer(request(messages))).toBe(
    '(offline responder) About "blue house" I found:\n- earlier here: The Blue house is mine',
  );
});

test('it says when nothing was found', async () => {
  expect(await answer(request([say('find unicorns'), ...round('unicorns', 'Nothing found.')]))).toBe(
    '(offline responder) I found nothing about "unicorns" in what was said here.',
  );
});

test('a summary is extracted from the quoted part under the usual headings', async () => {
  const lines = Array.from({ length: 18 }, (_, index) => `Sentence number ${index} is worth keeping.`);
  const prompt = `Write under ## Goal and so on. Quote nothing.\n<conversation>\n${lines.join('\n')}\n</conversation>`;

  const said = await answer(
    request([{ role: 'user', parts: [{ type: 'text', text: prompt }] }], { purpose: 'summary', tools: [] }),
  );

  expect(
    said.startsWith(
      '## Goal\n- Sentence number 0 is worth keeping.\n- Sentence number 1 is worth keeping.\n',
    ),
  ).toBe(true);
  expect(said).toContain(
    '## Critical Context\n- Sentence number 16 is worth keeping.\n- Sentence number 17 is worth keeping.',
  );
  expect(said).not.toContain('Quote nothing');
});

test('an earlier summary and new turns both go into the next one', async () => {
  const prompt = [
    'Update it under ## Goal.',
    '<earlier_summary>\n## Goal\n- The house shall be blue.\n### Done\n- (none)\n</earlier_summary>',
    '<turns>\nAda: The door shall be red.\n</turns>',
    'Begin with the first heading.',
  ].join('\n\n');

  const said = await answer(
    request([{ role: 'user', parts: [{ type: 'text', text: prompt }] }], { purpose: 'summary' }),
  );

  expect(said.split('\n').filter((line) => line.startsWith('- ') && line !== '- (none)')).toEqual([
    '- The house shall be blue.',
    '- Ada: The door shall be red.',
  ]);
});

test('a summary keeps to the limit', async () => {
  const prompt = Array.from(
    { length: 500 },
    (_, index) => `Sentence number ${index} is worth keeping here.`,
  ).join('\n');

  const said = await answer(
    request([{ role: 'user', parts: [{ type: 'text', text: prompt }] }], {
      purpose: 'summary',
      maxTokens: 500,
    }),
  );

  expect(said.length).toBeLessThan(2500);
  expect(said).toContain('Sentence number 4');
});

test('an abort ends it with aborted', async () => {
  expect((await events(request([say('hello')]), AbortSignal.abort())).map(({ type }) => type)).toEqual([
    'failed',
  ]);
});

test("the page's own suggestion works: any question is looked up, by the words that mean something", async () => {
  const remembered = say('Please remember: my cat is called Miso and the vet is on Friday at ten.');
  const asked = say('What is my cat called, and when is the vet?');

  expect((await events(request([remembered, asked])))[0]).toMatchObject({
    type: 'tool_call',
    arguments: '{"query":"cat vet"}',
  });
  expect(await answer(request([remembered, asked, ...round('cat vet', 'Nothing found.')]))).toBe(
    '(offline responder) About "cat vet" I found:\n- earlier here: Please remember: my cat is called Miso and the vet is on Friday at ten.',
  );
});

test('little words do not hide a line that was said', async () => {
  const messages = [
    say('my locker code is 4711'),
    say('What did I say about the locker?'),
    ...round('the locker', 'Nothing found.'),
  ];

  expect(await answer(request(messages))).toContain('my locker code is 4711');
});

test('a question about nothing that was said gets the help text', async () => {
  expect(
    await answer(request([say('Is it raining in Bergen?'), ...round('raining bergen', 'Nothing found.')])),
  ).toContain('ANTHROPIC_API_KEY');
});

test('what tools and the responder itself said, and former questions, are no answers', async () => {
  const found = [
    '> [11:00] tool (id 5): message 2 (archived): the house is blue',
    '> [11:01] assistant (id 6): (offline responder) About "house" I found: the house is blue',
    '> [11:02] Ada (id 7): What did I say about the house?',
    '> [11:03] Ada (id 8): the house is blue',
  ].join('\n');

  expect(await answer(request([say('find house'), ...round('house', found)]))).toBe(
    '(offline responder) About "house" I found:\n- 11:03, Ada: the house is blue',
  );
});

test('a long paste is the newest message, not the question before it', async () => {
  const paste: PromptMessage = {
    role: 'user',
    parts: [
      {
        type: 'payload',
        payloadId: 'a'.repeat(64),
        mime: 'text/plain',
        bytes: 60_000,
        preview: 'xxx [… 60000 characters …] xxx',
      },
    ],
  };

  expect(
    await answer(request([say('my locker is 4711'), say('What is my locker number?'), paste])),
  ).toContain('No model answered this');
});

test('what it is and how it is given a model is told once in a conversation; then a line is enough', async () => {
  const explained: PromptMessage = {
    role: 'assistant',
    parts: [{ type: 'text', text: await answer(request([say('hello')])) }],
  };

  expect(await answer(request([say('hello'), explained, say('I live in Bergen.')]))).toBe(
    '(offline responder) Kept. Write "find" and a few words to look something up.',
  );
  expect(await answer(request([say('hello'), explained, say('Please remember: the door is red.')]))).toBe(
    '(offline responder) Noted: I keep it word for word. Ask for it whenever you like.',
  );
  const asked = say('Is it raining in Oslo?');
  expect(
    await answer(request([say('hello'), explained, asked, ...round('raining oslo', 'Nothing found.')])),
  ).toBe('(offline responder) I found nothing about "raining oslo" in what was said here.');
});

test('a first message that asks to remember something is confirmed with the explanation', async () => {
  expect(await answer(request([say('Please remember: the door is red.')]))).toMatch(
    /^\(offline responder\) Noted\. No model answered this: no model key is set\./,
  );
});
