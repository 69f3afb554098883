import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { startFakeModel, type FakeModel, type ScriptFault } from '@palimpsest/testkit';

function start(dialect: 'anthropic' | 'openai-chat', fault: ScriptFault): Promise<FakeModel> {
  return startFakeModel({ dialect, window: 1000, script: () => fault });
}

async function askAnthropic(model: FakeModel, signal?: AbortSignal): Promise<string> {
  const client = new Anthropic({ apiKey: 'key', baseURL: model.baseUrl, maxRetries: 0 });
  const body = {
    model: 'claude-sonnet-5',
    max_tokens: 10,
    messages: [{ role: 'user' as const, content: 'Hi' }],
  };
  let text = '';
  for await (const event of await client.messages.create({ ...body, stream: true }, { signal })) {
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text;
    if (event.type === 'message_stop') text += ' [stop]';
  }
  return text;
}

async function askOpenAi(model: FakeModel): Promise<string> {
  const client = new OpenAI({ apiKey: 'key', baseURL: model.baseUrl, maxRetries: 0 });
  const body = { model: 'gpt-5.6', messages: [{ role: 'user' as const, content: 'Hi' }] };
  let text = '';
  for await (const chunk of await client.chat.completions.create({ ...body, stream: true })) {
    text += chunk.choices[0]?.delta.content ?? '';
    if (chunk.choices[0]?.finish_reason) text += ' [stop]';
  }
  return text;
}

test.each([
  ['overloaded', { status: 529, type: 'overloaded_error' }],
  ['rate_limit', { status: 429, type: 'rate_limit_error', errorCode: 'ramp_limit_exceeded' }],
  ['insufficient_quota', { status: 429, errorCode: 'enforced_spend_limit_reached' }],
  ['auth', { status: 401, type: 'authentication_error' }],
  ['overflow', { status: 400, apiMessage: 'prompt is too long: 1001 tokens > 1000 maximum' }],
  ['too_large', { status: 413, type: 'request_too_large' }],
  ['server_error', { status: 500, type: 'api_error' }],
  ['timeout', { status: 504 }],
  ['html', { status: 502 }],
] as const)('Anthropic fault %s is what the vendor SDK expects', async (fault, error) => {
  await using model = await start('anthropic', { fault });

  await expect(askAnthropic(model)).rejects.toMatchObject(error);
  expect(model.violations).toEqual([]);
  expect(model.refused).toBe(0);
});

test.each([
  ['overloaded', { status: 503 }],
  ['rate_limit', { status: 429, code: 'rate_limit_exceeded' }],
  ['insufficient_quota', { status: 429, code: 'insufficient_quota' }],
  ['auth', { status: 401, code: 'invalid_api_key' }],
  ['overflow', { status: 400, code: 'context_length_exceeded' }],
  ['html', { status: 502 }],
] as const)('OpenAI fault %s is what the vendor SDK expects', async (fault, error) => {
  await using model = await start('openai-chat', { fault });

  await expect(askOpenAi(model)).rejects.toMatchObject(error);
});

test('a rate limit says how long to wait', async () => {
  await using model = await start('openai-chat', { fault: 'rate_limit', retryAfterMs: 1500 });

  const error: unknown = await askOpenAi(model).catch((caught: unknown) => caught);

  const headers = error instanceof OpenAI.APIError ? error.headers : undefined;
  expect(headers?.get('retry-after')).toBe('2');
  expect(headers?.get('retry-after-ms')).toBe('1500');
});

test('an error in the middle of a stream arrives after a 200', async () => {
  await using anthropic = await start('anthropic', { fault: 'mid_stream_error' });
  await using openAi = await start('openai-chat', { fault: 'mid_stream_error' });

  await expect(askAnthropic(anthropic)).rejects.toMatchObject({ type: 'overloaded_error' });
  await expect(askOpenAi(openAi)).rejects.toThrow('The server had an error');
  expect(anthropic.requests[0]?.status).toBe(200);
  expect(openAi.requests[0]?.status).toBe(200);
});

test('a cut stream, a reset and half a body never look like a whole answer', async () => {
  await using cut = await start('anthropic', { fault: 'cut_stream', text: 'half of' });
  await using reset = await start('anthropic', { fault: 'reset' });
  await using cutChat = await start('openai-chat', { fault: 'cut_stream' });

  await expect(askAnthropic(cut)).rejects.toThrow();
  await expect(askAnthropic(reset)).rejects.toBeInstanceOf(Anthropic.APIConnectionError);
  await expect(askOpenAi(cutChat)).rejects.toThrow();
  expect(cut.usage).toEqual([]);
});

test('a stalled stream shows its start, then nothing until the client goes away, which is noted', async () => {
  await using model = await start('anthropic', { fault: 'stall', text: 'so far' });
  const abort = new AbortController();
  const client = new Anthropic({ apiKey: 'key', baseURL: model.baseUrl, maxRetries: 0 });
  const body = {
    model: 'claude-sonnet-5',
    max_tokens: 10,
    messages: [{ role: 'user' as const, content: 'Hi' }],
  };

  const seen: string[] = [];
  for await (const event of await client.messages.create(
    { ...body, stream: true },
    { signal: abort.signal },
  )) {
    seen.push(event.type);
    if (event.type === 'content_block_delta') abort.abort();
  }

  expect(seen).toEqual(['message_start', 'content_block_start', 'content_block_delta']);
  await expect.poll(() => model.requests[0]?.aborted).toBe(true);
});

test('closing the server ends a request it was holding open', async () => {
  const model = await start('anthropic', { fault: 'silent' });
  const asked = askAnthropic(model);
  await expect.poll(() => model.requests.length).toBe(1);

  await model.close();

  await expect(asked).rejects.toBeInstanceOf(Anthropic.APIConnectionError);
});

test('an empty answer is valid and has no content', async () => {
  await using model = await start('anthropic', { fault: 'empty' });

  await expect(askAnthropic(model)).resolves.toBe(' [stop]');
});
