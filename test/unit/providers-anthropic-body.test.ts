import type { ModelRequest, Part, PromptMessage } from '@palimpsest/core';
import { expect, test } from 'vitest';

import { toRequest } from '../../packages/providers/src/anthropic/to-request.ts';
import { aPolicy } from '../support/cache-policy.ts';

const issuer = 'anthropic|api.anthropic.com|0000|claude-sonnet-5';
const route = { model: 'claude-sonnet-5', issuer, cache: null };

const text = (value: string): Part => ({ type: 'text', text: value });
const user = (...parts: Part[]): PromptMessage => ({ role: 'user', parts });
const assistant = (...parts: Part[]): PromptMessage => ({ role: 'assistant', parts });
const tool = (callId: string, value: string, isError = false): PromptMessage => ({
  role: 'tool',
  parts: [{ type: 'tool_result', callId, name: 'look', text: value, isError }],
});
const call = (id: string, args = '{"a":1}'): Part => ({
  type: 'tool_call',
  id,
  name: 'look',
  arguments: args,
});

function request(messages: PromptMessage[], more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    sessionId: 's',
    system: ['You are kind.'],
    messages,
    tools: [],
    maxTokens: 1000,
    purpose: 'turn',
    ...more,
  };
}

function contents(messages: PromptMessage[]): unknown {
  return toRequest(request(messages), route).messages.map(({ role, content }) => ({ role, content }));
}

test('the body names model, limit, system blocks, messages and tools and always streams', () => {
  const tools = [
    {
      name: 'look',
      description: 'looks',
      parameters: { type: 'object', properties: { a: { type: 'integer' } } },
    },
  ];

  expect(toRequest(request([user(text('hi'))], { system: ['first', ' ', 'note'], tools }), route)).toEqual({
    model: 'claude-sonnet-5',
    max_tokens: 1000,
    stream: true,
    system: [
      { type: 'text', text: 'first' },
      { type: 'text', text: 'note' },
    ],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    tools: [
      {
        name: 'look',
        description: 'looks',
        input_schema: { type: 'object', properties: { a: { type: 'integer' } } },
      },
    ],
  });
});

test('results of parallel calls are the first blocks of one user message', () => {
  expect(
    contents([
      user(text('look')),
      assistant(call('c1'), call('c2')),
      tool('c1', 'one'),
      user(text('and?')),
      tool('c2', 'two', true),
    ]),
  ).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'look' }] },
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'c1', name: 'look', input: { a: 1 } },
        { type: 'tool_use', id: 'c2', name: 'look', input: { a: 1 } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: 'one' },
        { type: 'tool_result', tool_use_id: 'c2', content: 'two', is_error: true },
        { type: 'text', text: 'and?' },
      ],
    },
  ]);
});

test('consecutive messages of a role are one and header and text stay blocks of their own', () => {
  expect(contents([user({ type: 'header', text: '[12:00] Ada:' }, text('one')), user(text('two'))])).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: '[12:00] Ada:' },
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
    },
  ]);
});

test('empty and blank texts are left out, and messages that had nothing else', () => {
  expect(contents([user(text('hi')), assistant(text(' \n')), user(text(''), text('there'))])).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'hi' },
        { type: 'text', text: 'there' },
      ],
    },
  ]);
});

test('thinking goes back unchanged to its issuer only and never ends a message', () => {
  const item = { type: 'thinking', thinking: 'hm', signature: 'sig' };
  const own: Part = { type: 'sidecar', issuer, item };
  const foreign: Part = { type: 'sidecar', issuer: 'other', item };

  expect(
    contents([
      user(text('a')),
      assistant(own, text('b')),
      user(text('c')),
      assistant(foreign, text('d')),
      user(text('e')),
      assistant(text('f'), own),
    ]),
  ).toMatchObject([
    {},
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        { type: 'text', text: 'b' },
      ],
    },
    {},
    { role: 'assistant', content: [{ type: 'text', text: 'd' }] },
    {},
    { role: 'assistant', content: [{ type: 'text', text: 'f' }] },
  ]);
});

test('foreign call ids become what the wire takes and stay unique', () => {
  expect(
    contents([
      user(text('a')),
      assistant(call('fn.look:0')),
      tool('fn.look:0', 'one'),
      assistant(call('fn.look:0')),
      tool('fn.look:0', 'two'),
    ]),
  ).toMatchObject([
    {},
    { content: [{ type: 'tool_use', id: 'fn_look_0' }] },
    { content: [{ type: 'tool_result', tool_use_id: 'fn_look_0', content: 'one' }] },
    { content: [{ type: 'tool_use', id: 'fn_look_0_2' }] },
    { content: [{ type: 'tool_result', tool_use_id: 'fn_look_0_2', content: 'two' }] },
  ]);
});

test('broken arguments and empty results keep the request valid', () => {
  expect(contents([user(text('a')), assistant(call('c', '{"a":')), tool('c', '')])).toMatchObject([
    {},
    { content: [{ type: 'tool_use', input: { invalid_arguments: '{"a":' } }] },
    { content: [{ type: 'tool_result', content: '(no output)' }] },
  ]);
});

test('a conversation that begins with the assistant gets an opening', () => {
  expect(contents([assistant(text('a')), user(text('b'))])).toMatchObject([
    { role: 'user', content: [{ type: 'text', text: '(The conversation goes on.)' }] },
    { role: 'assistant' },
    { role: 'user' },
  ]);
});

test('marks sit on the first system block and on the last blocks of the last three messages', () => {
  const messages = [
    user(text('1')),
    assistant(text('2')),
    user(text('3')),
    assistant(text('ok'), call('c')),
    tool('c', 'r'),
  ];

  const body = toRequest(request(messages, { system: ['prompt', 'note'] }), {
    ...route,
    cache: aPolicy({ messageTtl: '1h', systemTtl: '1h' }),
  });

  const mark = { type: 'ephemeral', ttl: '1h' };
  expect(body.system).toEqual([
    { type: 'text', text: 'prompt', cache_control: mark },
    { type: 'text', text: 'note' },
  ]);
  expect(body.messages.map(({ content }) => content)).toEqual([
    [{ type: 'text', text: '1' }],
    [{ type: 'text', text: '2' }],
    [{ type: 'text', text: '3', cache_control: mark }],
    [
      { type: 'text', text: 'ok' },
      { type: 'tool_use', id: 'c', name: 'look', input: { a: 1 }, cache_control: mark },
    ],
    [{ type: 'tool_result', tool_use_id: 'c', content: 'r', cache_control: mark }],
  ]);
});

test('the same request gives the same bytes and is not changed', () => {
  const messages = Object.freeze(
    [user(text('1')), assistant(call('c')), tool('c', 'r')].map(deepFreeze),
  ) as PromptMessage[];
  const bytes = (): string => JSON.stringify(toRequest(request(messages), { ...route, cache: aPolicy() }));

  expect(bytes()).toBe(bytes());
});

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value))
    if (inner !== null && typeof inner === 'object') deepFreeze(inner);
  return Object.freeze(value);
}
