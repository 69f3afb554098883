import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { startFakeModel, type FakeModelOptions } from '@palimpsest/testkit';

type Body = Record<string, unknown>;

interface Outcome {
  readonly message: string | undefined;
  readonly code: string | undefined;
  readonly violations: readonly string[];
  readonly refused: number;
  readonly refusedOutput: number;
}

/** Send any body through the vendor SDK and give back what came of it. */
async function send(body: Body, more: Partial<FakeModelOptions> = {}): Promise<Outcome> {
  await using model = await startFakeModel({
    dialect: 'openai-chat',
    window: 1000,
    script: () => ({ text: 'ok' }),
    ...more,
  });
  const client = new OpenAI({ apiKey: 'key', baseURL: model.baseUrl, maxRetries: 0 });
  const whole = { model: 'gpt-5.6', messages: [user('Hi')], ...body };
  const error: unknown = await client
    .post('/chat/completions', { body: whole })
    .catch((caught: unknown) => caught);
  const refusal = error instanceof OpenAI.BadRequestError ? error : undefined;
  return {
    message: refusal?.message.replace(/^400 /, ''),
    code: refusal?.code ?? undefined,
    violations: [...model.violations],
    refused: model.refused,
    refusedOutput: model.refusedOutput,
  };
}

function user(content: unknown): Body {
  return { role: 'user', content };
}

function calling(...ids: string[]): Body {
  const calls = ids.map((id) => ({ id, type: 'function', function: { name: 'clock', arguments: '{}' } }));
  return { role: 'assistant', content: null, tool_calls: calls };
}

function result(id: string): Body {
  return { role: 'tool', tool_call_id: id, content: 'noon' };
}

test.each<[string, Body]>([
  ['a plain question', {}],
  ['two user messages in a row', { messages: [user('a'), user('b')] }],
  [
    'system and developer first',
    { messages: [{ role: 'system', content: 's' }, { role: 'developer', content: 'd' }, user('a')] },
  ],
  [
    'parallel calls answered in any order',
    { messages: [user('t'), calling('a', 'b'), result('b'), result('a'), user('and?')] },
  ],
  ['an assistant message last', { messages: [user('a'), { role: 'assistant', content: 'b' }] }],
  ['an empty string', { messages: [user('')] }],
])('%s is accepted', async (_what, body) => {
  await expect(send(body)).resolves.toMatchObject({ message: undefined, violations: [] });
});

const UNANSWERED =
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
  'The following tool_call_ids did not have response messages: ';

test.each<[string, Body, string]>([
  ['no model', { model: undefined }, 'you must provide a model parameter'],
  ['no messages', { messages: undefined }, "Missing required parameter: 'messages'."],
  [
    'an empty list',
    { messages: [] },
    "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  ],
  ['an unknown field', { prompt: 'x' }, 'Unrecognized request argument supplied: prompt'],
  [
    'a late system message',
    { messages: [user('a'), { role: 'system', content: 's' }] },
    'System message must be at the beginning.',
  ],
  [
    'an unknown role',
    { messages: [{ role: 'bot', content: 'a' }] },
    "Invalid value: 'bot'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
  ],
  [
    'a field of ours',
    { messages: [{ ...user('a'), sidecar: 1 }] },
    "Unknown parameter: 'messages[0].sidecar'.",
  ],
  ['null content', { messages: [user(null)] }, "Invalid value for 'content': expected a string, got null."],
  [
    'a mark on a part',
    { messages: [user([{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }])] },
    "Unknown parameter: 'messages[0].content[0].cache_control'.",
  ],
  [
    'old max_tokens on a reasoning model',
    { max_tokens: 5 },
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  ],
  [
    'stream options without a stream',
    { stream_options: { include_usage: true } },
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  ],
  [
    'an empty tool list',
    { tools: [] },
    "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  ],
  [
    'arguments as an object',
    {
      messages: [
        user('t'),
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'clock', arguments: {} } }],
        },
        result('a'),
      ],
    },
    "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.",
  ],
  [
    'an unanswered call',
    { messages: [user('t'), calling('a', 'b'), result('a'), user('b')] },
    `${UNANSWERED}b`,
  ],
  ['an unanswered call at the end', { messages: [user('t'), calling('a')] }, `${UNANSWERED}a`],
  ['a late result', { messages: [user('t'), calling('a'), user('b'), result('a')] }, `${UNANSWERED}a`],
  [
    'a result without calls',
    { messages: [user('t'), result('a')] },
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  ],
  [
    'a result of another call',
    { messages: [user('t'), calling('a'), result('b')] },
    "Invalid parameter: 'tool_call_id' of 'b' not found in 'tool_calls' of previous message.",
  ],
  [
    'a result twice',
    { messages: [user('t'), calling('a'), result('a'), result('a')] },
    "Invalid parameter: Duplicate value for 'tool_call_id' of 'a' in messages.",
  ],
])('%s is refused and listed', async (_what, body, message) => {
  await expect(send(body)).resolves.toMatchObject({ message, violations: [message] });
});

test('a prompt over the window is context_length_exceeded, and no violation', async () => {
  const outcome = await send({ messages: [user('word '.repeat(1200))] });

  expect(outcome).toEqual({
    message:
      "This model's maximum context length is 1000 tokens. However, your messages resulted in 1207 tokens. Please reduce the length of the messages.",
    code: 'context_length_exceeded',
    violations: [],
    refused: 1,
    refusedOutput: 0,
  });
});

test('a prompt that fits, but not with its answer, is refused', async () => {
  const outcome = await send({ max_completion_tokens: 100, messages: [user('word '.repeat(950))] });

  expect(outcome).toMatchObject({ code: 'context_length_exceeded', refused: 0, refusedOutput: 1 });
  expect(outcome.message).toContain('you requested 1057 tokens (957 in the messages, 100 in the completion)');
});

test('OpenRouter takes marks on text parts and words its overflow in its own way', async () => {
  const marked = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } };

  const accepted = await send({ max_tokens: 5, messages: [user([marked])] }, { flavour: 'openrouter' });
  const five = await send(
    { messages: [user([marked, marked, marked, marked, marked])] },
    { flavour: 'openrouter' },
  );
  const overflow = await send({ messages: [user('word '.repeat(1200))] }, { flavour: 'openrouter' });

  expect(accepted.violations).toEqual([]);
  expect(five.message).toBe('A maximum of 4 blocks with cache_control may be provided. Found 5.');
  expect(overflow.message).toContain(
    "This endpoint's maximum context length is 1000 tokens. However, you requested about 1207 tokens",
  );
});

test('breakpoints are for newer models, on parts, and four with the implicit one', async () => {
  const marked = { type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } };

  const accepted = await send({ messages: [user([marked, marked, marked])] });
  const older = await send({ model: 'gpt-5.5', messages: [user([marked])] });
  const four = await send({ messages: [user([marked, marked, marked, marked])] });
  const odd = await send({ messages: [user([{ ...marked, prompt_cache_breakpoint: { mode: 'maybe' } }])] });

  expect(accepted.violations).toEqual([]);
  expect(older.message).toBe("Unknown parameter: 'prompt_cache_breakpoint'.");
  expect(four.message).toBe('At most 4 cache breakpoints may be written. Found 5.');
  expect(odd.message).toBe("Invalid value: prompt_cache_breakpoint.mode must be 'explicit'.");
});

test('the model list carries the fields a test asks for', async () => {
  await using model = await startFakeModel({
    dialect: 'openai-chat',
    window: 1000,
    script: () => ({ text: 'ok' }),
    models: ['gpt-5.6', 'other'],
    modelFields: { context_length: 1000 },
  });
  const client = new OpenAI({ apiKey: 'key', baseURL: model.baseUrl, maxRetries: 0 });

  const page = await client.models.list();
  const missing = client.chat.completions.create({
    model: 'absent',
    messages: [{ role: 'user', content: 'Hi' }],
  });

  expect(page.data).toMatchObject([
    { id: 'gpt-5.6', context_length: 1000 },
    { id: 'other', context_length: 1000 },
  ]);
  await expect(missing).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
});
