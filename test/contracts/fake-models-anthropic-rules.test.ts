import { expect, test } from 'vitest';
import { assistant, call, result, send, text, tool, user, type Body } from '../support/anthropic-requests.ts';

const EPHEMERAL = { type: 'ephemeral' };
const HOUR = { type: 'ephemeral', ttl: '1h' };
const OPUS = 'claude-opus-4-8';

test.each<[string, Body]>([
  ['a plain question', {}],
  ['two user messages in a row', { messages: [user('a'), user('b')] }],
  [
    'parallel calls answered in one message, text after them',
    {
      messages: [
        user('t'),
        assistant([call('a'), call('b')]),
        user([result('b'), result('a'), text('and?')]),
      ],
    },
  ],
  [
    'four marks',
    {
      system: [text('s', { cache_control: EPHEMERAL })],
      tools: [tool('clock', { cache_control: HOUR })],
      messages: [user([text('a', { cache_control: EPHEMERAL }), text('b', { cache_control: EPHEMERAL })])],
    },
  ],
  [
    'a mark on a tool result',
    { messages: [user('t'), assistant([call('a')]), user([result('a', { cache_control: EPHEMERAL })])] },
  ],
  [
    'an empty tool result',
    { messages: [user('t'), assistant([call('a')]), user([result('a', { content: undefined })])] },
  ],
  [
    'a system message in between, on a model that knows it',
    { model: OPUS, messages: [user('a'), { role: 'system', content: 'note' }] },
  ],
])('%s is accepted', async (_what, body) => {
  await expect(send(body)).resolves.toEqual({
    message: undefined,
    violations: [],
    refused: 0,
    refusedOutput: 0,
  });
});

test.each<[string, Body, string]>([
  ['no model', { model: undefined }, 'model: Field required'],
  ['no max_tokens', { max_tokens: undefined }, 'max_tokens: Field required'],
  ['no messages', { messages: undefined }, 'messages: Field required'],
  ['an empty list', { messages: [] }, 'messages: at least one message is required'],
  ['an unknown field', { prompt: 'x' }, 'prompt: Extra inputs are not permitted'],
  ['a temperature, even the default', { temperature: 1 }, 'temperature: Extra inputs are not permitted'],
  [
    'a thinking budget on a newer model',
    { thinking: { type: 'enabled', budget_tokens: 2000 } },
    '"thinking.type.enabled" is not supported for this model.',
  ],
  [
    'an assistant first',
    { messages: [assistant('a'), user('b')] },
    'messages: first message must use the "user" role',
  ],
  [
    'an unknown role',
    { messages: [user('a'), { role: 'tool', content: 'b' }] },
    "messages.1.role: Input should be 'user' or 'assistant'",
  ],
  [
    'a system role on a model that does not know it',
    { messages: [user('a'), { role: 'system', content: 'b' }] },
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
  ],
  [
    'a prefill',
    { messages: [user('a'), assistant('b')] },
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  ],
  [
    'an empty text block',
    { messages: [user([text('')])] },
    'messages: text content blocks must be non-empty',
  ],
  [
    'a blank text block',
    { messages: [user([text(' \n')])] },
    'messages: text content blocks must contain non-whitespace text',
  ],
  ['an empty system block', { system: [text('')] }, 'system: text content blocks must be non-empty'],
  ['empty content', { messages: [user('')] }, 'messages.0: all messages must have non-empty content'],
  [
    'a mark on a message',
    { messages: [{ ...user('a'), cache_control: EPHEMERAL }] },
    'messages.0.cache_control: Extra inputs are not permitted',
  ],
  [
    'a mark on an empty text block',
    { messages: [user([text('', { cache_control: EPHEMERAL })])] },
    'messages.0.content.0.text: cache_control cannot be set for empty text blocks',
  ],
  [
    'a mark on thinking',
    {
      messages: [
        user('a'),
        assistant([{ type: 'thinking', thinking: 't', signature: 's', cache_control: EPHEMERAL }, text('b')]),
        user('c'),
      ],
    },
    'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted',
  ],
  [
    'a mark inside a tool result',
    {
      messages: [
        user('t'),
        assistant([call('a')]),
        user([result('a', { content: [text('n', { cache_control: EPHEMERAL })] })]),
      ],
    },
    'messages.2.content.0.tool_result.content: cache_control belongs on the tool_result block, not inside its content',
  ],
  [
    'five marks',
    { messages: [user(['a', 'b', 'c', 'd', 'e'].map((word) => text(word, { cache_control: EPHEMERAL })))] },
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  [
    'four marks and an automatic one',
    {
      cache_control: EPHEMERAL,
      messages: [user(['a', 'b', 'c', 'd'].map((word) => text(word, { cache_control: EPHEMERAL })))],
    },
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  [
    'an unknown lifetime',
    { system: [text('s', { cache_control: { type: 'ephemeral', ttl: '2h' } })] },
    "system.0.cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
  ],
  [
    'an hour after five minutes',
    {
      system: [text('s', { cache_control: EPHEMERAL })],
      messages: [user([text('a', { cache_control: HOUR })])],
    },
    "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
  ],
  [
    'thinking this server never gave',
    {
      messages: [
        user('a'),
        assistant([{ type: 'thinking', thinking: 't', signature: 's' }, text('b')]),
        user('c'),
      ],
    },
    'messages.1.content.0: Invalid `signature` in `thinking` block',
  ],
  [
    'a call in a user message',
    { messages: [user([call('a')])] },
    'messages.0: `tool_use` blocks can only be in `assistant` messages',
  ],
  [
    'a call with string input',
    { messages: [user('t'), assistant([{ ...call('a'), input: '{}' }]), user([result('a')])] },
    'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
  ],
  [
    'a field of ours on a block',
    { messages: [user([text('a', { sidecar: 1 })])] },
    'messages.0.content.0.text.sidecar: Extra inputs are not permitted',
  ],
  ['two tools of one name', { tools: [tool('a'), tool('a')] }, 'tools: Tool names must be unique.'],
  [
    'too large an answer',
    { max_tokens: 64_001 },
    'max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-5',
  ],
])('%s is refused and listed', async (_what, body, message) => {
  await expect(send(body)).resolves.toMatchObject({ message, violations: [message] });
});

const UNANSWERED =
  'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. ' +
  'Each `tool_use` block must have a corresponding `tool_result` block in the next message.';

test.each<[string, Body[], string]>([
  ['an unanswered call', [user('t'), assistant([call('a')]), user('b')], UNANSWERED],
  [
    'a call answered one message late',
    [user('t'), assistant([call('a')]), user('b'), user([result('a')])],
    UNANSWERED,
  ],
  [
    'text before the results',
    [user('t'), assistant([call('a')]), user([text('b'), result('a')])],
    UNANSWERED,
  ],
  [
    'a result without its call',
    [user([result('a')])],
    'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  ],
  [
    'a result twice',
    [user('t'), assistant([call('a')]), user([result('a'), result('a')])],
    'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
  ],
  [
    'an id used again',
    [user('t'), assistant([call('a')]), user([result('a')]), assistant([call('a')]), user([result('a')])],
    'messages: `tool_use` ids must be unique',
  ],
])('pairing: %s is refused and listed', async (_what, messages, message) => {
  await expect(send({ messages })).resolves.toMatchObject({ message, violations: [message] });
});

test('a prompt over the window is the overflow error with both figures, and no violation', async () => {
  const outcome = await send({ messages: [user('word '.repeat(1200))] });

  expect(outcome).toEqual({
    message: 'prompt is too long: 1207 tokens > 1000 maximum',
    violations: [],
    refused: 1,
    refusedOutput: 0,
  });
});

test('a prompt that fits, but not with its answer, is refused or cut as chosen', async () => {
  const body = { max_tokens: 100, messages: [user('word '.repeat(950))] };

  const refused = await send(body);
  const cut = await send(body, { overfullOutput: 'stop' });

  expect(refused).toMatchObject({
    message:
      'input length and `max_tokens` exceed context limit: 957 + 100 > 1000, decrease input length or `max_tokens` and try again',
    refused: 0,
    refusedOutput: 1,
  });
  expect(cut).toMatchObject({ message: undefined, refusedOutput: 0 });
});

test('sampling parameters pass on the older API version and an older model', async () => {
  const headers = { 'anthropic-version': '2023-06-01' };

  const older = await send({ model: 'claude-sonnet-4-6', temperature: 0.2 }, { headers });
  const newer = await send({ temperature: 0.2 }, { headers });

  expect(older.message).toBeUndefined();
  expect(newer.message).toBe('`temperature` is deprecated for this model.');
});
