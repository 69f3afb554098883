import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import {
  countFakeTokens,
  scriptedSummariser,
  startFakeModel,
  type FakeModel,
  type FakeModelOptions,
  type ModelScript,
} from '@palimpsest/testkit';

const CLAUDE = 'claude-sonnet-5';
const HELLO = [{ role: 'user' as const, content: 'Hello there' }];

function startAnthropic(script: ModelScript, more: Partial<FakeModelOptions> = {}): Promise<FakeModel> {
  return startFakeModel({ dialect: 'anthropic', window: 200_000, script, ...more });
}

function startOpenAi(script: ModelScript, more: Partial<FakeModelOptions> = {}): Promise<FakeModel> {
  return startFakeModel({ dialect: 'openai-chat', window: 200_000, script, ...more });
}

function anthropicFor(model: FakeModel, apiKey = 'key-1'): Anthropic {
  return new Anthropic({ apiKey, baseURL: model.baseUrl, maxRetries: 0 });
}

function openAiFor(model: FakeModel, apiKey = 'key-1'): OpenAI {
  return new OpenAI({ apiKey, baseURL: model.baseUrl, maxRetries: 0 });
}

async function collect<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

test('the vendor SDK reads a streamed Anthropic answer with thinking, text blocks and a tool call', async () => {
  await using model = await startAnthropic(() => ({
    thinking: 'first I look',
    text: ['One moment.', 'Réponse 日本語 🎉'],
    toolCalls: [{ id: 'toolu_1', name: 'search', arguments: { query: 'weather' } }],
    chunkSize: 4,
    splitBytes: 3,
  }));

  const stream = anthropicFor(model).messages.stream({ model: CLAUDE, max_tokens: 100, messages: HELLO });
  const message = await stream.finalMessage();

  expect(message.content).toMatchObject([
    { type: 'thinking', thinking: 'first I look' },
    { type: 'text', text: 'One moment.' },
    { type: 'text', text: 'Réponse 日本語 🎉' },
    { type: 'tool_use', id: 'toolu_1', name: 'search', input: { query: 'weather' } },
  ]);
  expect(message.stop_reason).toBe('tool_use');
  // Hello (1) + there (1) + message framing (4) + priming (3)
  expect(message.usage).toMatchObject({
    input_tokens: 9,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  });
  expect(model.violations).toEqual([]);
});

test('the vendor SDK reads a whole Anthropic answer, a token count and a model entry', async () => {
  await using model = await startAnthropic(() => ({ text: 'Hi' }), { maxOutput: 32_000 });
  const client = anthropicFor(model);

  const message = await client.messages.create({ model: CLAUDE, max_tokens: 100, messages: HELLO });
  const counted = await client.messages.countTokens({ model: CLAUDE, messages: HELLO });
  const entry = await client.models.retrieve(CLAUDE);

  expect(message.content).toEqual([{ type: 'text', text: 'Hi' }]);
  expect(message.stop_reason).toBe('end_turn');
  expect(counted).toEqual({ input_tokens: 9 });
  expect(entry).toMatchObject({ id: CLAUDE, max_input_tokens: 200_000, max_tokens: 32_000 });
});

test('the vendor SDK reads a streamed OpenAI answer, and usage comes last with empty choices', async () => {
  await using model = await startOpenAi(() => ({
    text: 'Réponse 🎉',
    toolCalls: [{ id: 'call_1', name: 'search', arguments: { query: 'weather' } }],
    chunkSize: 3,
    splitBytes: 2,
  }));

  const stream = await openAiFor(model).chat.completions.create({
    model: 'gpt-5.6',
    messages: HELLO,
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = await collect(stream);

  const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
  const pieces = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
  expect(text).toBe('Réponse 🎉');
  expect(pieces[0]).toMatchObject({ index: 0, id: 'call_1', function: { name: 'search' } });
  expect(pieces.map((piece) => piece.function?.arguments ?? '').join('')).toBe('{"query":"weather"}');
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls');
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 9 } });
});

test('an OpenAI stream without include_usage reports no usage', async () => {
  await using model = await startOpenAi(() => ({ text: 'Hi' }));

  const stream = await openAiFor(model).chat.completions.create({
    model: 'gpt-5.6',
    messages: HELLO,
    stream: true,
  });
  const chunks = await collect(stream);

  expect(chunks.filter((chunk) => chunk.usage !== undefined)).toEqual([]);
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
});

test('a script sees the same conversation in both dialects', async () => {
  const seen: unknown[] = [];
  const script: ModelScript = ({ system, messages, tools, maxTokens, index }) => {
    seen.push({ system, messages, tools, maxTokens, index });
    return { text: 'done' };
  };
  await using anthropic = await startAnthropic(script);
  await using openAi = await startOpenAi(script);
  const parameters = { type: 'object' as const, properties: {} };

  await anthropicFor(anthropic).messages.create({
    model: CLAUDE,
    max_tokens: 50,
    system: 'Be brief',
    tools: [{ name: 'clock', input_schema: parameters }],
    messages: [
      { role: 'user', content: 'time?' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'clock', input: { zone: 'UTC' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'noon' }] },
    ],
  });
  await openAiFor(openAi).chat.completions.create({
    model: 'gpt-5.6',
    max_completion_tokens: 50,
    tools: [{ type: 'function', function: { name: 'clock', parameters } }],
    messages: [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'time?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'clock', arguments: '{"zone":"UTC"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'noon' },
    ],
  });

  expect(seen[0]).toEqual({
    system: 'Be brief',
    messages: [
      { role: 'user', text: 'time?', toolCalls: [], toolResults: [] },
      {
        role: 'assistant',
        text: '',
        toolCalls: [{ id: 'c1', name: 'clock', arguments: { zone: 'UTC' } }],
        toolResults: [],
      },
      { role: 'user', text: '', toolCalls: [], toolResults: [{ id: 'c1', text: 'noon' }] },
    ],
    tools: ['clock'],
    maxTokens: 50,
    index: 0,
  });
  expect(seen[1]).toEqual(seen[0]);
});

test('the journal keeps body, headers and connection of each request', async () => {
  await using model = await startAnthropic(() => ({ text: 'Hi' }));

  await anthropicFor(model).messages.create({ model: CLAUDE, max_tokens: 5, messages: HELLO });

  expect(model.requests).toHaveLength(1);
  expect(model.requests[0]).toMatchObject({
    method: 'POST',
    path: '/v1/messages',
    body: `{"model":"${CLAUDE}","max_tokens":5,"messages":[{"role":"user","content":"Hello there"}]}`,
    headers: { authorization: 'Bearer key-1', 'anthropic-version': '2026-10-21' },
    connection: 1,
    promptTokens: 9,
    status: 200,
  });
  expect(model.usage).toMatchObject([{ promptTokens: 9, inputTokens: 9, outputTokens: 1 }]);
});

test('an unknown key is refused with 401 in both dialects', async () => {
  await using anthropic = await startAnthropic(() => ({ text: 'Hi' }), { apiKey: 'good' });
  await using openAi = await startOpenAi(() => ({ text: 'Hi' }), { apiKey: ['good', 'better'] });

  const first = anthropicFor(anthropic, 'bad').messages.create({
    model: CLAUDE,
    max_tokens: 5,
    messages: HELLO,
  });
  const second = openAiFor(openAi, 'bad').chat.completions.create({ model: 'gpt-5.6', messages: HELLO });
  const third = openAiFor(openAi, 'better').chat.completions.create({ model: 'gpt-5.6', messages: HELLO });

  await expect(first).rejects.toMatchObject({ status: 401, type: 'authentication_error' });
  await expect(second).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
  await expect(third).resolves.toMatchObject({ object: 'chat.completion' });
});

test('an answer longer than asked for is cut and says so', async () => {
  await using model = await startAnthropic(() => ({ text: 'one two three four five six', stop: 'end' }));

  const message = await anthropicFor(model).messages.create({
    model: CLAUDE,
    max_tokens: 3,
    messages: HELLO,
  });

  expect(message.stop_reason).toBe('max_tokens');
  expect(message.content).toEqual([{ type: 'text', text: 'one two three ' }]);
  expect(message.usage.output_tokens).toBe(3);
});

test('a script that throws is a 500 and is listed', async () => {
  await using model = await startAnthropic(() => {
    throw new Error('not scripted');
  });

  const asked = anthropicFor(model).messages.create({ model: CLAUDE, max_tokens: 5, messages: HELLO });

  await expect(asked).rejects.toMatchObject({ status: 500 });
  expect(model.violations).toEqual(['the script threw: Error: not scripted']);
});

test('the counter weighs words, digits, marks, blanks and wide characters', () => {
  expect(countFakeTokens('')).toBe(0);
  expect(countFakeTokens('Hello world')).toBe(2);
  expect(countFakeTokens('internationally')).toBe(3);
  expect(countFakeTokens('1234567, yes!')).toBe(6);
  expect(countFakeTokens('a\n\n\nb')).toBe(3);
  expect(countFakeTokens('日本語')).toBe(3);
  expect(countFakeTokens('🎉')).toBe(2);
  expect(countFakeTokens('слово')).toBe(3);
});

test('the scripted summariser writes all headings, keeps to its budget and spreads over the whole input', async () => {
  await using model = await startAnthropic(scriptedSummariser({ tokenBudget: 600 }));
  const facts = Array.from({ length: 2000 }, (_, at) => `Fact ${at} is about topic ${at}.`).join('\n');

  const message = await anthropicFor(model).messages.create({
    model: CLAUDE,
    max_tokens: 4000,
    messages: [{ role: 'user', content: `## Goal\n<transcript>\n${facts}` }],
  });

  const text = message.content[0]?.type === 'text' ? message.content[0].text : '';
  expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual([
    '## Goal',
    '## Constraints & Preferences',
    '## Progress',
    '### Done',
    '### In Progress',
    '### Blocked',
    '## Key Decisions',
    '## Relevant Files',
    '## Next Steps',
    '## Critical Context',
  ]);
  expect(text).toContain('- Fact 0 is about topic 0.');
  expect(text).toMatch(/- Fact 19\d\d is about topic 19\d\d\./);
  expect(message.usage.output_tokens).toBeGreaterThan(500);
  expect(message.usage.output_tokens).toBeLessThanOrEqual(600);
});

test('the scripted summariser fails every n-th call when told to', async () => {
  await using model = await startOpenAi(scriptedSummariser({ failEvery: 2, failure: 'rate_limit' }));
  const client = openAiFor(model);
  const ask = () => client.chat.completions.create({ model: 'gpt-5.6', messages: HELLO });

  await expect(ask()).resolves.toMatchObject({ object: 'chat.completion' });
  await expect(ask()).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
  await expect(ask()).resolves.toMatchObject({ object: 'chat.completion' });
});
