import type {
  Clock,
  ModelClient,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  SummaryAnswer,
} from '@palimpsest/core';
import { createSummariser } from '@palimpsest/providers';
import { expect, test } from 'vitest';

const info = {
  provider: 'fake',
  name: 'tiny',
  label: 'fake/tiny',
  windowTokens: 20_000,
  windowSource: 'table',
  maxOutputTokens: 8_000,
  issuer: 'fake',
  caching: null,
} as const;

interface Fake extends ModelClient {
  asked: ModelRequest[];
}

/** Says its events, then hangs until it is aborted if nothing ended it. */
function fake(...events: ModelEvent[]): Fake {
  const asked: ModelRequest[] = [];
  return {
    info,
    asked,
    async *stream(request, signal) {
      asked.push(request);
      yield* events;
      if (events.at(-1)?.type === 'done' || events.at(-1)?.type === 'failed') return;
      if (!signal.aborted)
        await new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        );
      yield {
        type: 'failed',
        failure: { kind: 'aborted', retryable: false, message: 'x' },
      } satisfies ModelEvent;
    },
  };
}

const noTime: Clock = { now: () => new Date(0), sleep: () => new Promise(() => {}) };
const word: ModelEvent = { type: 'text', text: 'words', block: 0 };
const done = (stop: 'end' | 'max_tokens' | 'refusal' | 'window_exceeded'): ModelEvent => ({
  type: 'done',
  stop,
  usage: null,
});

function summarise(
  client: ModelClient,
  clock: Clock = noTime,
  signal = new AbortController().signal,
): Promise<SummaryAnswer> {
  const summariser = createSummariser(client, { timeoutMs: 100, ceilingMs: 1000, clock });
  return summariser.summarise({ system: 'sys', prompt: 'quote', targetTokens: 500 }, signal);
}

test('a whole answer is the summary', async () => {
  const client = fake(word, { type: 'text', text: ' more', block: 0 }, done('end'));

  expect(await summarise(client)).toEqual({ kind: 'text', text: 'words more', usage: null });
  expect(client.asked).toMatchObject([{ system: ['sys'], purpose: 'summary', tools: [], maxTokens: 5500 }]);
});

test('prompt and answer fit the window together', async () => {
  const client = fake(word, done('end'));
  const summariser = createSummariser(client, { timeoutMs: 100, ceilingMs: 1000, clock: noTime });

  // 18,000 words are 17,622 tokens of the estimator; with the margin of a fifth 21,147: nothing is left. Of 13,500 words
  // 13,217 and 15,861: 4,139 are left.
  await summariser.summarise(
    { system: '', prompt: 'word '.repeat(18_000), targetTokens: 500 },
    new AbortController().signal,
  );
  await summariser.summarise(
    { system: '', prompt: 'word '.repeat(13_500), targetTokens: 500 },
    new AbortController().signal,
  );

  expect(client.asked.map(({ maxTokens }) => maxTokens)).toEqual([256, 4139]);
});

const ends: readonly [what: string, events: ModelEvent[], expected: [string, string, number]][] = [
  ['an answer cut off at the limit', [word, done('max_tokens')], ['summary_too_long', 'abort', 60_000]],
  ['an empty answer', [done('end')], ['summary_empty', 'abort', 30_000]],
  [
    'a blank answer',
    [{ type: 'text', text: ' \n', block: 0 }, done('end')],
    ['summary_empty', 'abort', 30_000],
  ],
  ['a refusal', [word, done('refusal')], ['summary_empty', 'abort', 30_000]],
  [
    'a window that is too small',
    [word, done('window_exceeded')],
    ['summary_context_too_small', 'local', 60_000],
  ],
];

for (const [what, events, [reason, policy, cooldownMs]] of ends) {
  test(`${what} is ${reason}, ${policy}`, async () => {
    expect(await summarise(fake(...events))).toMatchObject({ kind: 'failed', reason, policy, cooldownMs });
  });
}

const failures: readonly [
  kind: ModelFailure['kind'],
  status: number | undefined,
  expected: [string, string, number],
][] = [
  ['auth', 401, ['summary_auth', 'abort', 60_000]],
  ['quota', 402, ['spend_limit', 'abort', 60_000]],
  ['model_not_found', 404, ['summary_provider_4xx', 'local', 60_000]],
  ['bad_request', 400, ['summary_provider_4xx', 'local', 60_000]],
  ['timeout', 504, ['summary_timeout', 'local', 60_000]],
  ['rate_limited', 429, ['summary_rate_limited', 'local', 60_000]],
  ['overflow', 400, ['summary_context_too_small', 'local', 60_000]],
  ['overloaded', 529, ['summary_provider_5xx', 'abort', 60_000]],
  ['overloaded', 503, ['summary_provider_5xx', 'local', 60_000]],
  ['server_error', 500, ['summary_provider_5xx', 'local', 60_000]],
  ['server_error', 502, ['summary_timeout', 'local', 60_000]],
  ['network', undefined, ['summary_provider_5xx', 'abort', 30_000]],
  ['stream_cut', undefined, ['summary_provider_5xx', 'abort', 30_000]],
];

for (const [kind, status, [reason, policy, cooldownMs]] of failures) {
  test(`${kind} ${status ?? ''} is ${reason}, ${policy}`, async () => {
    const failed: ModelEvent = {
      type: 'failed',
      failure: { kind, retryable: false, message: 'our words', status },
    };

    expect(await summarise(fake(word, failed))).toEqual({
      kind: 'failed',
      reason,
      policy,
      cooldownMs,
      message: 'our words',
    });
  });
}

test('H9 silence beyond the idle limit is a timeout', async () => {
  const clock: Clock = { ...noTime, sleep: (ms) => (ms === 100 ? Promise.resolve() : new Promise(() => {})) };

  expect(await summarise(fake(), clock)).toMatchObject({
    reason: 'summary_timeout',
    policy: 'local',
    cooldownMs: 60_000,
    message: 'the summary model gave no sign of progress for 0.1 s',
  });
});

test('H10 one summary ends at the ceiling however lively the model is, and says after how long', async () => {
  const clock: Clock = {
    ...noTime,
    sleep: (ms) => (ms === 1000 ? Promise.resolve() : new Promise(() => {})),
  };

  expect(await summarise(fake(word, word), clock)).toMatchObject({
    reason: 'summary_timeout',
    message: 'the summary was not done after 1 s',
  });
});

test('a stop by the person is no stall and costs no rest', async () => {
  const stop = new AbortController();
  const answer = summarise(fake(word), noTime, stop.signal);

  stop.abort();

  expect(await answer).toMatchObject({ reason: 'user_cancelled', policy: 'abort', cooldownMs: 0 });
});
