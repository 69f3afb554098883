import type { ModelEvent, ModelRequest, Part, PromptMessage } from '@palimpsest/core';
import { expect, test } from 'vitest';

import { findSilentOverflow } from '../../packages/providers/src/openai-chat/find-silent-overflow.ts';
import { readChunks } from '../../packages/providers/src/openai-chat/read-stream.ts';
import type { Chunk } from '../../packages/providers/src/openai-chat/read-stream.ts';
import { toMessages } from '../../packages/providers/src/openai-chat/to-messages.ts';
import { aPolicy } from '../support/cache-policy.ts';

const text = (value: string): Part => ({ type: 'text', text: value });
const call = (id: string): Part => ({ type: 'tool_call', id, name: 'look', arguments: '{}' });
const user = (...parts: Part[]): PromptMessage => ({ role: 'user', parts });
const assistant = (...parts: Part[]): PromptMessage => ({ role: 'assistant', parts });
const tool = (callId: string, value: string): PromptMessage => ({
  role: 'tool',
  parts: [{ type: 'tool_result', callId, name: 'look', text: value, isError: false }],
});

function request(messages: PromptMessage[], system: string[] = ['prompt', 'note']): ModelRequest {
  return { sessionId: 's', system, messages, tools: [], maxTokens: 100, purpose: 'turn' };
}

test('system blocks are one message and each result is one of its own', () => {
  const messages = [
    user({ type: 'header', text: 'Ada:' }, text('hi')),
    assistant(text('ok'), call('a'), call('b')),
    tool('a', 'one'),
    tool('b', ''),
  ];

  expect(toMessages(request(messages), null)).toEqual([
    { role: 'system', content: 'prompt\n\nnote' },
    { role: 'user', content: 'Ada:\nhi' },
    {
      role: 'assistant',
      content: 'ok',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } },
        { id: 'b', type: 'function', function: { name: 'look', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: 'one' },
    { role: 'tool', tool_call_id: 'b', content: '(no output)' },
  ]);
});

test('what lies beside a result goes into it, so that parallel results stay together', () => {
  const picture: Part = {
    type: 'payload',
    payloadId: 'p',
    mime: 'image/png',
    bytes: 9,
    preview: 'photo of a pier',
  };
  const shown = (callId: string, value: string): PromptMessage => ({
    role: 'tool',
    parts: [...tool(callId, value).parts, picture],
  });
  const messages = [user(text('a')), assistant(call('b'), call('c')), shown('b', 'taken'), shown('c', '')];

  expect(toMessages(request(messages, []), null).slice(2)).toEqual([
    {
      role: 'tool',
      tool_call_id: 'b',
      content: 'taken\nphoto of a pier (The picture itself is not shown to you.)',
    },
    { role: 'tool', tool_call_id: 'c', content: 'photo of a pier (The picture itself is not shown to you.)' },
  ]);
});

test('an assistant message of calls alone has null content and one of thinking alone is left out', () => {
  const thought: Part = { type: 'sidecar', issuer: 'x', item: {} };

  expect(
    toMessages(
      request([user(text('a')), assistant(thought), assistant(call('c')), tool('c', 'r')], []),
      null,
    ),
  ).toMatchObject([
    { role: 'user', content: 'a' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c' }] },
    { role: 'tool', content: 'r' },
  ]);
});

test('marks sit on text parts, and parallel results count as one message', () => {
  const messages = [
    user(text('1')),
    assistant(text('2')),
    user(text('3')),
    assistant(call('a'), call('b')),
    tool('a', 'x'),
    tool('b', 'y'),
  ];

  const mark = { type: 'ephemeral' };
  expect(toMessages(request(messages), aPolicy({ style: 'envelope' }))).toMatchObject([
    {
      content: [
        { type: 'text', text: 'prompt', cache_control: mark },
        { type: 'text', text: 'note' },
      ],
    },
    { content: '1' },
    { content: [{ type: 'text', text: '2', cache_control: mark }] },
    { content: [{ type: 'text', text: '3', cache_control: mark }] },
    { content: null },
    { content: 'x' },
    { content: [{ type: 'text', text: 'y', cache_control: mark }] },
  ]);
});

async function read(chunks: Chunk[]): Promise<ModelEvent[]> {
  async function* stream(): AsyncGenerator<Chunk> {
    yield* chunks;
  }
  const events: ModelEvent[] = [];
  for await (const event of readChunks(stream(), () => 'made-up')) events.push(event);
  return events;
}

test('deltas of interleaved calls are joined by index and come whole and in order', async () => {
  const events = await read([
    { choices: [{ delta: { content: 'Let me ' } }] },
    {
      choices: [
        { delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'one', arguments: '{"x"' } }] } },
      ],
    },
    {
      choices: [{ delta: { tool_calls: [{ index: 1, id: 'b', function: { name: 'two', arguments: '' } }] } }],
    },
    { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] } }] },
    { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
    {
      choices: [],
      usage: {
        prompt_tokens: 50,
        completion_tokens: 7,
        prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    },
  ]);

  expect(events).toMatchObject([
    { type: 'text', text: 'Let me ' },
    { type: 'tool_call', id: 'a', name: 'one', arguments: '{"x":1}' },
    { type: 'tool_call', id: 'b', name: 'two', arguments: '{}' },
    {
      type: 'done',
      stop: 'tool_calls',
      usage: {
        promptTokens: 50,
        outputTokens: 7,
        cacheReadTokens: 30,
        cacheWriteTokens: 4,
        reasoningTokens: 2,
      },
    },
  ]);
});

test('a server without indexes, ids or usage is understood', async () => {
  const events = await read([
    { choices: [{ delta: { tool_calls: [{ function: { name: 'one', arguments: '{"a"' } }] } }] },
    { choices: [{ delta: { tool_calls: [{ function: { arguments: ':1}' } }] } }] },
    { choices: [{ finish_reason: 'stop' }] },
  ]);

  expect(events).toEqual([
    { type: 'tool_call', id: 'made-up', name: 'one', arguments: '{"a":1}' },
    { type: 'done', stop: 'tool_calls', usage: null },
  ]);
});

test('reasoning fields are no text', async () => {
  const delta: object = { reasoning_content: 'secret thoughts', reasoning: 'more', content: null };

  expect(await read([{ choices: [{ delta }] }, { choices: [{ finish_reason: 'length' }] }])).toEqual([
    { type: 'done', stop: 'max_tokens', usage: null },
  ]);
});

test('a stream without a finish reason has no last event', async () => {
  expect(await read([{ choices: [{ delta: { content: 'half' } }] }])).toEqual([
    { type: 'text', text: 'half', block: 0 },
  ]);
});

// 3,000 words of one token and a little framing: about 2,950 tokens.
const long = request([user(text('word '.repeat(3000)))], []);
const answer = { provider: 'Ollama', stop: 'end' as const, isEmpty: false };
const counted = (
  promptTokens: number,
  outputTokens = 5,
): {
  usage: {
    promptTokens: number;
    outputTokens: number;
    cacheReadTokens: 0;
    cacheWriteTokens: 0;
    reasoningTokens: 0;
  };
} => ({
  usage: { promptTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
});

test('a prompt that was cut in silence is an overflow with the figure', () => {
  expect(findSilentOverflow(long, { ...answer, ...counted(1700) })).toMatchObject({
    kind: 'overflow',
    reportedPromptTokens: 1700,
    reportedWindowTokens: 1700,
  });
  expect(findSilentOverflow(long, { ...answer, ...counted(1900) })).toBeNull();
});

test('small prompts and missing figures accuse nobody', () => {
  expect(
    findSilentOverflow(request([user(text('word '.repeat(1000)))], []), { ...answer, ...counted(10) }),
  ).toBeNull();
  expect(findSilentOverflow(long, { ...answer, usage: null })).toBeNull();
});

test('a limit reached without a word is an overflow', () => {
  expect(
    findSilentOverflow(long, { provider: 'MiMo', stop: 'max_tokens', isEmpty: true, ...counted(2950, 0) }),
  ).toMatchObject({ kind: 'overflow' });
});
