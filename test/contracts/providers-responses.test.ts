import type { Part, PromptMessage } from '@palimpsest/core';
import { expect, test } from 'vitest';

import {
  asMessage,
  events,
  inTurn,
  outline,
  request,
  resultsFor,
  saidIn,
  user,
} from '../support/model-world.ts';
import { openResponses } from '../support/responses-world.ts';

type Item = Record<string, unknown>;

function inputOf(body: Record<string, unknown> | undefined): Item[] {
  return (body?.['input'] ?? []) as Item[];
}

const kinds = (body: Record<string, unknown> | undefined): unknown[] =>
  inputOf(body).map((item) => (item['type'] === 'message' ? item['role'] : item['type']));

const look = { name: 'look', arguments: { at: 'it' } };

test('reasoning goes back sealed, directly before the call that it led to, and labels stay on their messages', async () => {
  await using world = await openResponses(
    inTurn({ thinking: 'hm', text: 'Looking.', toolCalls: [look] }, { thinking: 'so', text: 'Done.' }),
  );
  const messages: PromptMessage[] = [user('look')];
  for (let round = 0; round < 2; round++) {
    const answer = asMessage(await events(world.client, request(messages)));
    messages.push(answer, ...resultsFor(answer));
  }
  messages.push(user('thanks'));
  await events(world.client, request(messages));

  expect(kinds(world.bodies()[2])).toEqual([
    'developer',
    'user',
    'reasoning',
    'assistant',
    'function_call',
    'function_call_output',
    'reasoning',
    'assistant',
    'user',
  ]);
  expect(inputOf(world.bodies()[2])[3]).toMatchObject({ phase: 'commentary' });
  expect(inputOf(world.bodies()[2])[7]).toMatchObject({ phase: 'final_answer' });
  expect(world.server.violations).toEqual([]);
});

test('nothing is stored at the service and everything sealed is asked for', async () => {
  await using world = await openResponses(() => ({ text: 'ok' }));

  await events(world.client, request([user('hi')], { sessionId: 'session-7', maxTokens: 4 }));

  expect(world.bodies()[0]).toMatchObject({
    model: 'gpt-5.6-sol',
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'session-7',
    max_output_tokens: 16,
  });
  expect(world.bodies()[0]).not.toHaveProperty('instructions');
  expect(world.bodies()[0]).not.toHaveProperty('context_management');
});

test("another account's reasoning stays at home", async () => {
  await using world = await openResponses(inTurn({ thinking: 'hm', text: 'a' }, { text: 'b' }));
  const answer = asMessage(await events(world.client, request([user('one')])));
  const foreign = answer.parts.map((part): Part =>
    part.type === 'sidecar' ? { ...part, issuer: 'other' } : part,
  );

  await events(world.client, request([user('one'), { role: 'assistant', parts: foreign }, user('two')]));

  expect(kinds(world.bodies()[1])).toEqual(['developer', 'user', 'assistant', 'user']);
});

test('reasoning that the service cannot read any more is left out at once and from then on', async () => {
  await using before = await openResponses(() => ({ thinking: 'hm', text: 'a' }));
  const answer = asMessage(await events(before.client, request([user('one')])));
  await using world = await openResponses(() => ({ text: 'b' }));
  const messages = [user('one'), answer, user('two')];

  const seen = await events(world.client, request(messages));
  await events(world.client, request([...messages, asMessage(seen), user('three')]));

  expect(outline(seen)).toEqual(['retrying', 'text', 'done']);
  expect(world.bodies().map((body) => kinds(body).includes('reasoning'))).toEqual([true, false, false]);
});

test('an error event inside the stream is a failure by its code', async () => {
  await using world = await openResponses(() => ({ fault: 'mid_stream_error', text: 'half' }));

  const seen = await events(world.client, request([user('hi')]));

  expect([saidIn(seen), outline(seen)]).toEqual(['half', ['text', 'failed server_error']]);
});

test('the wire is OpenAI or whoever speaks it, with the older name of the role elsewhere', async () => {
  await using world = await openResponses(() => ({ text: 'ok' }));
  const custom = world.reopen({ provider: 'custom', name: 'tiny', base_url: world.server.baseUrl });

  await events(custom, request([user('hi')]));

  expect(kinds(world.bodies()[0])).toEqual(['system', 'user']);
  expect(world.bodies()[0]).not.toHaveProperty('prompt_cache_key');
});
