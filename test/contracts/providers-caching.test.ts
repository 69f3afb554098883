import type { PromptMessage } from '@palimpsest/core';
import { expect, test } from 'vitest';

import {
  asMessage,
  events,
  inTurn,
  outline,
  request,
  resultsFor,
  sides,
  user,
  worldOf,
} from '../support/model-world.ts';
import type { Side } from '../support/model-world.ts';

const [anthropic, openai, openrouter, custom] = sides as [Side, Side, Side, Side];

test('a server that cannot be reached is a network failure', async () => {
  const world = await worldOf(anthropic, () => ({ text: 'x' }));
  await world.server.close();

  const seen = await events(world.client, request([user('hi')]));

  expect(seen.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'network', retryable: true } });
  expect(seen).toHaveLength(6);
});

test('thinking comes back as it was, and text blocks stay apart', async () => {
  const calls = [{ name: 'look', arguments: {} }];
  await using world = await worldOf(
    anthropic,
    inTurn({ thinking: 'hm, let me see', text: ['one', 'two'], toolCalls: calls }, { text: 'done' }),
  );
  const first = await events(world.client, request([user('hi')]));
  const answer = asMessage(first);

  await events(world.client, request([user('hi'), answer, ...resultsFor(answer)]));

  expect(first.flatMap((event) => (event.type === 'text' ? [[event.text, event.block]] : []))).toEqual([
    ['one', 1],
    ['two', 2],
  ]);
  expect(outline(first)).toEqual(['sidecar', 'text', 'tool_call', 'done']);
  expect(world.server.violations).toEqual([]);
  expect(world.server.usage).toHaveLength(2);
});

for (const side of [anthropic, openrouter]) {
  test(`${side.name}: a growing conversation reads what it wrote before, with never more than four marks`, async () => {
    const calls = Array.from({ length: 4 }, (_, index) => ({
      name: 'look',
      arguments: { at: `thing ${index} ${'words '.repeat(60)}` },
    }));
    await using world = await worldOf(
      side,
      ({ index }) => (index % 3 === 2 ? { text: 'fine' } : { text: 'hm', toolCalls: calls }),
      { fake: { window: 1_000_000 } },
    );
    const messages: PromptMessage[] = [user('begin')];
    const system = ['You are kind. '.repeat(800)];

    for (let round = 0; round < 12; round++) {
      const answer = asMessage(await events(world.client, request(messages, { system })));
      const results = resultsFor(answer);
      messages.push(answer, ...(results.length > 0 ? results : [user('go on')]));
    }

    const marks = world.server.requests.map(({ body }) => body.match(/"cache_control"/g)?.length ?? 0);
    expect(Math.max(...marks)).toBe(4);
    expect(world.server.violations).toEqual([]);
    // Everything of the request before is read: only the newest answer and its results are written.
    const [, ...later] = world.server.usage;
    const readAgain = later.map(
      (usage, index) => (world.server.usage[index]?.promptTokens ?? 0) - usage.cacheReadTokens,
    );
    expect(Math.max(...readAgain)).toBeLessThan(20);
  });
}

test.each(['split_system', 'native_tools', 'automatic'] as const)(
  'the layout %s is accepted and reads what it wrote before',
  async (layout) => {
    await using world = await worldOf(anthropic, () => ({ text: 'fine' }), {
      fake: { window: 1_000_000 },
      caching: { layout, system_ttl: '1h' },
    });
    const system = ['You are kind. '.repeat(800), 'a note'];
    const messages: PromptMessage[] = [user('begin')];

    for (let round = 0; round < 6; round++) {
      const answer = asMessage(await events(world.client, request(messages, { system })));
      messages.push(answer, user(`go on ${round}`));
    }

    expect(world.server.violations).toEqual([]);
    const last = world.server.usage.at(-1);
    expect(last?.cacheReadTokens).toBeGreaterThan((last?.promptTokens ?? 0) * 0.9);
  },
);

test('breakpoints are accepted by gpt-5.6 at OpenAI', async () => {
  const side = { ...openai, model: { ...openai.model, name: 'gpt-5.6-sol' } };
  await using world = await worldOf(side, () => ({ text: 'fine' }), {
    caching: { openai_breakpoints: true },
  });

  await events(world.client, request([user('a')], { system: ['prompt', 'note'] }));

  expect(world.server.violations).toEqual([]);
  expect(world.server.requests[0]?.body).toContain('"prompt_cache_breakpoint":{"mode":"explicit"}');
});

test('the note that compaction adds leaves the cached system prompt readable', async () => {
  await using world = await worldOf(anthropic, () => ({ text: 'ok' }));
  const prompt = 'You are kind. '.repeat(800);

  await events(world.client, request([user('a')], { system: [prompt] }));
  await events(
    world.client,
    request([user('b')], { system: [prompt, '[Note: earlier turns were compacted]'] }),
  );

  expect(world.server.usage[1]?.cacheReadTokens).toBeGreaterThan(2000);
});

test('a custom server that cuts prompts in silence is found out', async () => {
  await using world = await worldOf(custom, () => ({ text: 'nice' }), {
    fake: { tokenCount: (said) => Math.ceil(said.length / 40) },
  });

  const seen = await events(world.client, request([user('some words '.repeat(3000))]));

  expect(seen.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'overflow' } });
});
