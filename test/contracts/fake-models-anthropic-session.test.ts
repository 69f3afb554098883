import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { startFakeModel } from '@palimpsest/testkit';

const OPUS = 'claude-opus-4-8';

test('a missing key and a missing version are refused', async () => {
  await using model = await startFakeModel({
    dialect: 'anthropic',
    window: 1000,
    script: () => ({ text: 'ok' }),
  });
  const url = `${model.baseUrl}/v1/messages`;

  const noKey = await fetch(url, {
    method: 'POST',
    body: '{}',
    headers: { 'anthropic-version': '2023-06-01' },
  });
  const noVersion = await fetch(url, { method: 'POST', body: '{}', headers: { 'x-api-key': 'k' } });

  expect([noKey.status, noVersion.status]).toEqual([401, 400]);
  expect(model.violations).toEqual(['x-api-key header is required', 'anthropic-version: header is required']);
});

test('thinking goes back unchanged or not at all', async () => {
  await using model = await startFakeModel({
    dialect: 'anthropic',
    window: 1000,
    script: () => ({ thinking: 'hm', text: 'ok' }),
  });
  const client = new Anthropic({ apiKey: 'key', baseURL: model.baseUrl, maxRetries: 0 });
  const base = { model: OPUS, max_tokens: 10 };
  const first = await client.messages.create({ ...base, messages: [{ role: 'user', content: 'a' }] });

  const replay = (content: Anthropic.ContentBlockParam[]) =>
    client.messages.create({
      ...base,
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content },
        { role: 'user', content: 'b' },
      ],
    });
  const kept: Anthropic.ContentBlockParam[] = first.content.flatMap((block) =>
    block.type === 'thinking'
      ? [{ type: block.type, thinking: block.thinking, signature: block.signature }]
      : [],
  );

  await expect(replay([...kept, { type: 'text', text: 'ok' }])).resolves.toMatchObject({ type: 'message' });
  const changed = kept.map((block) => ({ ...block, thinking: 'hmm' }));
  await expect(replay([...changed, { type: 'text', text: 'ok' }])).rejects.toMatchObject({ status: 400 });
});

test('the script can be replaced, and bodies can be left out of the journal', async () => {
  await using model = await startFakeModel({
    dialect: 'anthropic',
    window: 1000,
    recordBodies: false,
    script: () => ({ fault: 'overloaded' }),
  });
  const client = new Anthropic({ apiKey: 'key', baseURL: model.baseUrl, maxRetries: 0 });
  const ask = () =>
    client.messages.create({ model: OPUS, max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] });
  await expect(ask()).rejects.toMatchObject({ status: 529 });

  model.setScript(({ index }) => ({ text: `call ${index}` }));

  await expect(ask()).resolves.toMatchObject({ content: [{ type: 'text', text: 'call 1' }] });
  expect(model.requests.map(({ body, promptTokens }) => [body, promptTokens])).toEqual([
    ['', 8],
    ['', 8],
  ]);
  expect(model.largestPromptTokens).toBe(8);
});

test('an unknown path is refused and listed', async () => {
  await using model = await startFakeModel({
    dialect: 'anthropic',
    window: 1000,
    script: () => ({ text: 'ok' }),
  });
  const client = new Anthropic({ apiKey: 'key', baseURL: model.baseUrl, maxRetries: 0 });

  await expect(client.post('/v1/complete', { body: {} })).rejects.toMatchObject({ status: 404 });
  expect(model.violations).toEqual(['Not Found']);
});
