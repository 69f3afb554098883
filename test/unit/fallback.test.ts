import type { ModelClient, ModelEvent, ModelFailureKind, ModelRequest } from '@palimpsest/core';
import { expect, test } from 'vitest';

import { withFallback } from '../../packages/providers/src/fallback/with-fallback.ts';
import { noUsage } from '@palimpsest/core';

const request: ModelRequest = {
  sessionId: 's',
  system: ['prompt'],
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
  tools: [],
  maxTokens: 1_000,
  purpose: 'turn',
};

/** A model that answers, or fails, as its list says; then it answers. */
function model(name: string, script: (ModelFailureKind | 'answer' | 'half')[] = [], windowTokens = 100_000) {
  const asked: ModelRequest[] = [];
  const client: ModelClient = {
    info: {
      provider: 'test',
      name,
      label: name,
      windowTokens,
      windowSource: 'config',
      maxOutputTokens: 500,
      issuer: name,
      caching: null,
    },
    async *stream(wanted): AsyncGenerator<ModelEvent> {
      asked.push(wanted);
      const step = script.shift() ?? 'answer';
      if (step === 'answer' || step === 'half') yield { type: 'text', text: name, block: 0 };
      if (step === 'answer') return yield { type: 'done', stop: 'end', usage: noUsage };
      const kind = step === 'half' ? 'stream_cut' : step;
      yield { type: 'failed', failure: { kind, retryable: false, message: `${name} ${kind}` } };
    },
  };
  return { client, asked };
}

/** A clock whose hands are moved. */
function handClock() {
  const at = { ms: 0 };
  return { at, now: () => new Date(at.ms), sleep: () => Promise.resolve() };
}

async function play(client: ModelClient, more: Partial<ModelRequest> = {}): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of client.stream({ ...request, ...more }, new AbortController().signal)) {
    if (event.type === 'text') seen.push(event.text);
    else if (event.type === 'fell_back') seen.push(`${event.from} → ${event.to} (${event.why ?? 'back'})`);
    else if (event.type === 'failed') seen.push(`failed ${event.failure.message}`);
    else seen.push(event.type);
  }
  return seen;
}

test('without others the model is what it was', () => {
  const { client } = model('a');

  expect(withFallback(client, [], handClock())).toBe(client);
});

test('the next model answers where the first one fails for good, and says so before it speaks', async () => {
  const [a, b] = [model('a', ['overloaded']), model('b')];

  expect(await play(withFallback(a.client, [b.client], handClock()))).toEqual([
    'a → b (overloaded)',
    'b',
    'done',
  ]);
  expect(b.asked[0]?.maxTokens).toBe(500);
});

test('a session stays with the model it fell back to, for ten minutes, and is told when the first is tried again', async () => {
  const clock = handClock();
  const [a, b] = [model('a', ['quota']), model('b')];
  const chain = withFallback(a.client, [b.client], clock);

  await play(chain);
  const soon = await play(chain);
  const elsewhere = await play(chain, { sessionId: 'other' });
  clock.at.ms = 600_001;
  const later = await play(chain);

  expect(soon).toEqual(['b', 'done']);
  expect(elsewhere).toEqual(['a', 'done']);
  expect(later).toEqual(['b → a (back)', 'a', 'done']);
});

test.each<ModelFailureKind>(['overflow', 'bad_request', 'aborted'])(
  '%s is no reason for another model',
  async (kind) => {
    const [a, b] = [model('a', [kind]), model('b')];

    expect(await play(withFallback(a.client, [b.client], handClock()))).toEqual([`failed a ${kind}`]);
    expect(b.asked).toEqual([]);
  },
);

test('an answer that broke off half-way is not gone on with by another model', async () => {
  const [a, b] = [model('a', ['half']), model('b')];

  expect(await play(withFallback(a.client, [b.client], handClock()))).toEqual(['a', 'failed a stream_cut']);
});

test('where all fail, the first failure is told', async () => {
  const [a, b] = [model('a', ['auth']), model('b', ['network'])];

  expect(await play(withFallback(a.client, [b.client], handClock()))).toEqual([
    'a → b (auth)',
    'failed a auth',
  ]);
});

test('a model whose window is too small for the conversation is passed over', async () => {
  const [a, small, c] = [model('a', ['timeout']), model('small', [], 5), model('c')];

  expect(await play(withFallback(a.client, [small.client, c.client], handClock()))).toEqual([
    'a → c (timeout)',
    'c',
    'done',
  ]);
});

test('summaries are not moved', async () => {
  const [a, b] = [model('a', ['overloaded']), model('b')];

  expect(await play(withFallback(a.client, [b.client], handClock()), { purpose: 'summary' })).toEqual([
    'failed a overloaded',
  ]);
});

test('a prompt past its window goes to a wider model without asking the refusing one again, and says so', async () => {
  const [a, same, wide] = [model('a'), model('same'), model('wide', [], 200_000)];
  const chain = withFallback(a.client, [same.client, wide.client], handClock());

  const said = await play(chain, { isPastWindow: true });
  const next = await play(chain);

  expect(chain.info.widerWindowTokens).toBe(200_000);
  expect(said).toEqual(['a → wide (overflow)', 'wide', 'done']);
  expect(next).toEqual(['wide', 'done']);
  expect([a.asked, same.asked]).toEqual([[], []]);
});

test('where the wider model refuses too, or none is wider, that the prompt is too long is the end', async () => {
  const [a, wide, same] = [model('a'), model('wide', ['overflow'], 200_000), model('same')];

  const refused = await play(withFallback(a.client, [wide.client], handClock()), { isPastWindow: true });
  const none = withFallback(a.client, [same.client], handClock());

  const end = 'failed no fallback model with a larger window takes the prompt';
  expect(refused).toEqual(['a → wide (overflow)', end]);
  expect(await play(none, { isPastWindow: true })).toEqual([end]);
  expect(none.info.widerWindowTokens).toBeUndefined();
});
