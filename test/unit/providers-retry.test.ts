import type { Clock, ModelEvent, ModelFailure } from '@palimpsest/core';
import { expect, test } from 'vitest';

import { nextWaitMs, withRetries } from '../../packages/providers/src/retry.ts';

const overloaded: ModelFailure = { kind: 'overloaded', retryable: true, message: 'x' };
const refused: ModelFailure = { kind: 'bad_request', retryable: false, message: 'x' };
const done: ModelEvent = { type: 'done', stop: 'end', usage: null };
const word: ModelEvent = { type: 'text', text: 'a', block: 0 };

/** Answers one script of events after the other; the clock never waits and remembers what it was asked. */
async function run(
  scripts: readonly ModelEvent[][],
  options: { random?: number; signal?: AbortSignal } = {},
): Promise<{ events: string[]; slept: number[] }> {
  const slept: number[] = [];
  const clock: Clock = { now: () => new Date(0), sleep: async (ms) => void slept.push(ms) };
  let attempts = 0;
  async function* attempt(): AsyncGenerator<ModelEvent> {
    yield* scripts[attempts++] ?? [];
  }
  const events: string[] = [];
  const help = {
    clock,
    random: () => options.random ?? 0,
    signal: options.signal ?? new AbortController().signal,
  };
  for await (const event of withRetries(attempt, help)) {
    events.push(
      event.type === 'failed'
        ? `failed ${event.failure.kind}`
        : event.type === 'retrying'
          ? `retrying ${event.attempt}`
          : event.type,
    );
  }
  return { events, slept };
}

const fails = (failure: ModelFailure): ModelEvent[] => [{ type: 'failed', failure }];

test('a passing failure is tried again and the wait is seen', async () => {
  expect(await run([fails(overloaded), [word, done]])).toEqual({
    events: ['retrying 1', 'text', 'done'],
    slept: [500],
  });
});

test('waits double up to eight seconds and end after six tries', async () => {
  const six = Array.from({ length: 7 }, () => fails(overloaded));

  expect(await run(six)).toEqual({
    events: ['retrying 1', 'retrying 2', 'retrying 3', 'retrying 4', 'retrying 5', 'failed overloaded'],
    slept: [500, 1000, 2000, 4000, 8000],
  });
});

test('a wait is shortened by at most a quarter', () => {
  expect([0, 0.5, 0.999999].map((random) => nextWaitMs(overloaded, 1, () => random))).toEqual([
    500, 438, 375,
  ]);
});

test('the wait that the server asks for wins', () => {
  expect(nextWaitMs({ ...overloaded, retryAfterMs: 1234 }, 1, () => 0.5)).toBe(1234);
});

test('a wait of more than a minute is not slept but told', async () => {
  expect(await run([fails({ ...overloaded, retryAfterMs: 60_001 })])).toEqual({
    events: ['failed overloaded'],
    slept: [],
  });
});

test('a failure that waiting does not mend is not tried again', async () => {
  expect(await run([fails(refused), [done]])).toEqual({ events: ['failed bad_request'], slept: [] });
});

test('nothing is tried again after something was streamed', async () => {
  expect(await run([[word, ...fails(overloaded)], [done]])).toEqual({
    events: ['text', 'failed overloaded'],
    slept: [],
  });
});

test('an attempt that ends without a last event is a cut stream', async () => {
  expect((await run([[word]])).events).toEqual(['text', 'failed stream_cut']);
});

test('an abort during the wait ends with aborted', async () => {
  const events = await run([fails(overloaded), [done]], { signal: AbortSignal.abort() });

  expect(events.events).toEqual(['retrying 1', 'failed aborted']);
});
