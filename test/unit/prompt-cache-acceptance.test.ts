import {
  estimateTokens,
  type ModelRequest,
  type Part,
  type PromptMessage,
  type ToolSchema,
} from '@palimpsest/core';
import { expect, test } from 'vitest';

import { toRequest } from '../../packages/providers/src/anthropic/to-request.ts';
import { toMessages } from '../../packages/providers/src/openai-chat/to-messages.ts';
import type { CachePolicy } from '../../packages/providers/src/prompt-cache/cache-policy.ts';
import { aPolicy } from '../support/cache-policy.ts';

const text = (value: string): Part => ({ type: 'text', text: value });
const call = (id: string): Part => ({ type: 'tool_call', id, name: 'look', arguments: '{}' });
const user = (...parts: Part[]): PromptMessage => ({ role: 'user', parts });
const assistant = (...parts: Part[]): PromptMessage => ({ role: 'assistant', parts });
const result = (callId: string, value: string): PromptMessage => ({
  role: 'tool',
  parts: [{ type: 'tool_result', callId, name: 'look', text: value, isError: false }],
});
const tools: ToolSchema[] = ['look', 'write'].map((name) => ({
  name,
  description: 'a tool',
  parameters: { type: 'object', properties: {} },
}));

const five = [user(text('1')), assistant(text('2')), user(text('3')), assistant(text('4')), user(text('5'))];
const loop = [user(text('look')), assistant(call('a'), call('b')), result('a', 'x'), result('b', 'y')];

function request(messages: readonly PromptMessage[], more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    sessionId: 's',
    system: ['prompt'],
    messages,
    tools: [],
    maxTokens: 100,
    purpose: 'turn',
    ...more,
  };
}

function native(asked: ModelRequest, changes: Partial<CachePolicy> = {}) {
  const cache = aPolicy(changes);
  return toRequest(asked, { model: 'claude-sonnet-5', issuer: 'i', cache });
}

function envelope(asked: ModelRequest, changes: Partial<CachePolicy> = {}) {
  return toMessages(asked, aPolicy({ style: 'envelope', ...changes }));
}

/** Everything frozen, so that a change of the caller's objects throws. */
function frozen<T>(value: T): T {
  if (value !== null && typeof value === 'object') {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}

const marksIn = (body: unknown): number => JSON.stringify(body).match(/"cache_control"/g)?.length ?? 0;

test('K1 the objects handed in are unchanged, there are at most four marks, and the same request gives the same bytes', () => {
  const asked = frozen(request([...five, ...loop], { system: ['prompt', 'note'], tools }));
  const seen = JSON.stringify(asked);

  for (const layout of ['system_and_3', 'split_system', 'native_tools', 'automatic'] as const) {
    const body = native(asked, { layout });
    expect(marksIn(body), layout).toBeLessThanOrEqual(4);
    expect(JSON.stringify(native(asked, { layout }))).toBe(JSON.stringify(body));
  }
  expect(marksIn(envelope(asked))).toBe(4);
  expect(JSON.stringify(asked)).toBe(seen);
});

test('K2 a static prefix that is the whole prompt leaves no empty block behind', () => {
  const asked = request(five, { system: ['prompt', '', '  '] });

  const { system } = native(asked, { layout: 'split_system' });

  expect(system).toEqual([{ type: 'text', text: 'prompt', cache_control: { type: 'ephemeral' } }]);
});

test('K3 the marks are on the system prompt and the last three messages', () => {
  const { system, messages } = native(request(five, { system: ['prompt', 'note'] }));

  expect(system).toEqual([
    { type: 'text', text: 'prompt', cache_control: { type: 'ephemeral' } },
    { type: 'text', text: 'note' },
  ]);
  expect(messages.map(marksIn)).toEqual([0, 0, 1, 1, 1]);
});

test('K3 with the split layout two marks are on the system prompt and two on messages', () => {
  const { system, messages } = native(request(five, { system: ['prompt', 'note'] }), {
    layout: 'split_system',
  });

  expect(marksIn(system)).toBe(2);
  expect(messages.map(marksIn)).toEqual([0, 0, 0, 1, 1]);
});

test('K4 without tools the layout of native tools has three marks, with tools four', () => {
  const transactions = [...loop, assistant(text('done')), user(text('again'))];

  const without = native(request(transactions), { layout: 'native_tools' });
  const withTools = native(request(transactions, { tools }), { layout: 'native_tools' });

  expect(marksIn(without)).toBe(3);
  expect(marksIn(withTools)).toBe(4);
  expect(withTools.tools?.map(marksIn)).toEqual([0, 1]);
  // The results and the closing answer; not the question that is still open.
  expect(withTools.messages.map(marksIn)).toEqual([0, 0, 1, 1, 0]);
});

test("K5 on Anthropic's wire a tool row is marked on its last tool_result block, never on the message", () => {
  const { messages } = native(request(loop));

  expect(messages.map((message) => Object.keys(message))).toEqual([
    ['role', 'content'],
    ['role', 'content'],
    ['role', 'content'],
  ]);
  expect(messages.at(-1)?.content).toEqual([
    { type: 'tool_result', tool_use_id: 'a', content: 'x' },
    { type: 'tool_result', tool_use_id: 'b', content: 'y', cache_control: { type: 'ephemeral' } },
  ]);
});

test('K5 on an envelope route a tool row is marked inside a text part, and behind LiteLLM not at all', () => {
  const mark = { cache_control: { type: 'ephemeral' } };

  const rows = envelope(request(loop));
  const liteLlm = envelope(request(loop), { markToolRows: false });

  expect(rows.at(-1)).toEqual({
    role: 'tool',
    tool_call_id: 'b',
    content: [{ type: 'text', text: 'y', ...mark }],
  });
  expect(liteLlm.at(-1)).toEqual({ role: 'tool', tool_call_id: 'b', content: 'y' });
});

test('K6 a text becomes one part with the mark', () => {
  expect(envelope(request([user(text('hi'))])).at(-1)).toEqual({
    role: 'user',
    content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }],
  });
  expect(native(request([user(text('hi'))])).messages[0]?.content).toEqual([
    { type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } },
  ]);
});

test('K7 messages without a mark are what they would be without any caching', () => {
  const asked = request(five);

  const marked = envelope(asked);
  const plain = toMessages(asked, null);

  // System prompt, then the five; the last three are marked.
  expect(marked.slice(1, 3)).toEqual(plain.slice(1, 3));
  expect(marked.slice(1, 3).map(({ content }) => content)).toEqual(['1', '2']);
});

test('K8 with an hour all marks carry it', () => {
  const ttl = { messageTtl: '1h', systemTtl: '1h' } as const;

  for (const body of [native(request(five), ttl), envelope(request(five), ttl)])
    expect(JSON.stringify(body).match(/"cache_control":\{"type":"ephemeral","ttl":"1h"\}/g)).toHaveLength(4);
});

test('K9 tools marked for one request are not marked in the array handed in', () => {
  const shared = frozen([...tools]);

  const body = native(request(loop, { tools: shared }), { layout: 'native_tools' });

  expect(marksIn(body.tools)).toBe(1);
  expect(marksIn(shared)).toBe(0);
});

test('mixed lives come longest first: an hour for the system prompt, five minutes for messages', () => {
  const body = native(request(five), { systemTtl: '1h' });

  const lives = [...JSON.stringify([body.system, body.messages]).matchAll(/"cache_control":(\{[^}]*\})/g)];
  expect(lives.map(([, mark]) => mark)).toEqual([
    '{"type":"ephemeral","ttl":"1h"}',
    '{"type":"ephemeral"}',
    '{"type":"ephemeral"}',
    '{"type":"ephemeral"}',
  ]);
});

test('thinking is never marked, and an assistant row with open calls is no end point', () => {
  const thought: Part = {
    type: 'sidecar',
    issuer: 'i',
    item: { type: 'thinking', thinking: 't', signature: 's' },
  };
  const answered = native(request([user(text('a')), assistant(thought, text('b')), user(text('c'))]));
  const open = native(
    request([user(text('a')), assistant(text('b')), user(text('c')), assistant(call('x'))]),
  );

  expect(JSON.stringify(answered.messages[1]?.content)).toContain('"signature":"s"}');
  expect(answered.messages.map(marksIn)).toEqual([1, 1, 1]);
  expect(open.messages.map(marksIn)).toEqual([1, 1, 1, 0]);
});

test('an empty message carries no mark; the slot goes to an earlier one', () => {
  const { messages } = native(
    request([user(text('a')), assistant(text('b')), user(text('c')), assistant(text(' '))]),
  );

  expect(messages.map(marksIn)).toEqual([1, 1, 1]);
});

test("the automatic layout marks the system prompt and leaves the tail to the service's own mark", () => {
  const body = native(request(five), { layout: 'automatic' });

  expect(body.cache_control).toEqual({ type: 'ephemeral' });
  expect(marksIn(body)).toBe(2);
});

test('breakpoints of OpenAI are three, on content parts, and nothing else is marked', () => {
  const rows = envelope(request(five), { style: 'breakpoints' });

  expect(JSON.stringify(rows).match(/"prompt_cache_breakpoint":\{"mode":"explicit"\}/g)).toHaveLength(3);
  expect(marksIn(rows)).toBe(0);
});

test('a prefix surely below the minimum gives its mark to a long tool round', () => {
  const calls = Array.from({ length: 30 }, (_, index) => call(`c${index}`));
  const results = calls.map((_, index) => result(`c${index}`, 'x'));
  const asked = request([
    user(text('a')),
    assistant(text('b')),
    user(text('c')),
    assistant(...calls),
    ...results,
  ]);
  expect(estimateTokens('prompt')).toBeLessThan(512);

  const known = native(asked, { minimumTokens: 1024 });
  const unknown = native(asked);

  expect([marksIn(known.system), marksIn(known)]).toEqual([0, 4]);
  expect([marksIn(unknown.system), marksIn(unknown)]).toEqual([1, 4]);
});
