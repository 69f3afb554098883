import type { Clock, ModelEvent, PromptMessage, Usage } from '@palimpsest/core';
import { expect, test } from 'vitest';

import { asMessage, events, hurried, outline, request, text, user } from '../support/model-world.ts';
import { openResponses } from '../support/responses-world.ts';
import type { ResponsesWorld } from '../support/responses-world.ts';

type Item = Record<string, unknown>;

const native = { codex_responses_native: true, codex_responses_compact_threshold: 200_000 };
const codex = { provider: 'openai-codex', name: 'gpt-5.6-terra' } as const;
/** The session's own trigger: the service is asked 8,192 tokens earlier. */
const triggered = { compactAtTokens: 10_000 };
/** About 2,600 tokens of the fake server. */
const long = 'twelve letters '.repeat(650);

const managementOf = (world: ResponsesWorld): unknown[] =>
  world.bodies().map((body) => body['context_management']);
const kindsOf = (world: ResponsesWorld, at: number): unknown[] =>
  ((world.bodies()[at]?.['input'] ?? []) as Item[]).map((item) =>
    item['type'] === 'message' ? item['role'] : item['type'],
  );

/** Ask, and give back the conversation with the answer. */
async function turn(world: ResponsesWorld, messages: PromptMessage[]): Promise<PromptMessage[]> {
  const seen = await events(world.client, request(messages, triggered));
  return [...messages, asMessage(seen)];
}

test.each([
  ['gpt-5.6 with a key', { model: {} }, 1_808],
  ['gpt-5.6 with a subscription', { model: codex }, 1_808],
])('%s is asked to condense before our own trigger', async (_what, wishes, threshold) => {
  await using world = await openResponses(() => ({ text: 'ok' }), { ...wishes, compression: native });

  await events(world.client, request([user('hi')], triggered));

  expect(managementOf(world)).toEqual([[{ type: 'compaction', compact_threshold: threshold }]]);
  expect(world.server.violations).toEqual([]);
});

test.each([
  ['another model', { name: 'gpt-5.5' }],
  ['a model whose name only looks alike', { name: 'gpt-5.60' }],
  ['another server under the same provider', { base_url: 'http://127.0.0.1:1/v1' }],
  ['another provider', { provider: 'openrouter', base_url: 'http://127.0.0.1:1/v1' }],
] as const)('%s is never asked', async (_what, model) => {
  await using world = await openResponses(() => ({ text: 'ok' }), { compression: native });
  const address = 'base_url' in model ? { base_url: world.server.baseUrl } : {};

  await events(world.reopen({ ...model, ...address }), request([user('hi')], triggered));

  expect(managementOf(world)).toEqual([undefined]);
});

test.each([
  ['it is off by default', {}, triggered],
  ['compression is off', { ...native, enabled: false }, triggered],
  ['the session condenses in a way of its own', native, { compactAtTokens: null }],
  ['a summary is written', native, { ...triggered, purpose: 'summary' as const }],
])('nothing is asked when %s', async (_what, compression, more) => {
  await using world = await openResponses(() => ({ text: 'ok' }), { compression });

  await events(world.client, request([user('hi')], more));

  expect(managementOf(world)).toEqual([undefined]);
});

test('a checkpoint is kept with the answer, told, and the next prompt begins with it', async () => {
  await using world = await openResponses(() => ({ thinking: 'hm', text: 'ok' }), { compression: native });
  const first = await turn(world, [user('small')]);
  const seen = await events(world.client, request([...first, user(long)], triggered));
  const second = [...first, user(long), asMessage(seen)];

  const third = await events(world.client, request([...second, user('and now?')], triggered));

  expect(outline(seen)).toEqual(['sidecar', 'sidecar', 'text', 'compaction', 'done']);
  expect(seen.find(({ type }) => type === 'compaction')).toMatchObject({ items: 1 });
  expect(kindsOf(world, 2)).toEqual([
    'developer',
    'compaction',
    'user',
    'user',
    'reasoning',
    'assistant',
    'user',
  ]);
  expect(outline(third).at(-1)).toBe('done');
  expect(world.server.violations).toEqual([]);
});

test('what counts as context after a checkpoint is the next prompt, not the one that was condensed', async () => {
  await using world = await openResponses(() => ({ text: 'ok' }), { compression: native });
  // 60,000 tokens of the fake server, which makes a checkpoint of 3,000 of them.
  const huge: PromptMessage = { role: 'assistant', parts: [text('twelve letters '.repeat(20_000))] };
  const messages = [user('a'), huge, user('go on')];
  const later = { compactAtTokens: 30_000 };

  const seen = await events(world.client, request(messages, later));
  const next = await events(world.client, request([...messages, asMessage(seen), user('and now?')], later));

  const [condensed, replayed] = [usageOf(seen), usageOf(next)];
  expect(condensed.promptTokens).toBeGreaterThan(60_000);
  // System prompt, tool and a few words, and 4,000 for a checkpoint that nobody can count.
  expect(condensed.contextTokens).toBeGreaterThan(4_000);
  expect(condensed.contextTokens).toBeLessThan(4_200);
  expect(replayed.promptTokens).toBeLessThan(3_200);
  expect(replayed.contextTokens).toBe(replayed.promptTokens);
});

function usageOf(seen: readonly ModelEvent[]): Usage {
  const done = seen.at(-1);
  if (done?.type !== 'done' || !done.usage) throw new Error('no usage');
  return done.usage;
}

test.each([
  ['refuses the field', 'refuse'],
  ['fails with 500', 'fail'],
] as const)(
  'a service that %s is asked without it, and not asked again in that session',
  async (_what, how) => {
    await using world = await openResponses(() => ({ text: 'ok' }), {
      compression: native,
      fake: { contextManagement: how },
    });

    const seen = await events(world.client, request([user('hi')], triggered));
    await events(world.client, request([user('again')], triggered));
    await events(world.client, request([user('another')], { ...triggered, sessionId: 's2' }));

    expect(outline(seen)).toEqual(['retrying', 'text', 'done']);
    expect(managementOf(world).map((field) => field !== undefined)).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
  },
);

test('a service that falls silent for 120 s is asked without it', async () => {
  // Of the 120 s nothing is waited out once the request has arrived.
  const patient: Clock = {
    now: hurried.now,
    sleep: (ms, signal) => (ms === 120_000 ? firstRequest(world) : hurried.sleep(ms, signal)),
  };
  await using world = await openResponses(() => ({ text: 'ok' }), {
    compression: native,
    fake: { contextManagement: 'stall' },
    clock: patient,
    idleMs: 240_000,
  });

  const seen = await events(world.client, request([user('hi')], triggered));

  expect(outline(seen)).toEqual(['retrying', 'text', 'done']);
  expect(seen[0]).toMatchObject({ failure: { kind: 'timeout' } });
  expect(managementOf(world).map((field) => field !== undefined)).toEqual([true, false]);
});

async function firstRequest({ server }: ResponsesWorld): Promise<void> {
  await expect.poll(() => server.requests.length).toBeGreaterThan(0);
}

test('a checkpoint of another account or model is dropped and the whole conversation sent', async () => {
  await using world = await openResponses(() => ({ text: 'ok' }), { compression: native });
  const messages = await turn(world, [user(long)]);

  await events(world.reopen({ name: 'gpt-5.5' }), request([...messages, user('and now?')], triggered));

  expect(kindsOf(world, 1)).toEqual(['developer', 'user', 'assistant', 'user']);
  expect(world.server.violations).toEqual([]);
});
