import { expect, test } from 'vitest';

import { classify } from '../../packages/providers/src/errors/classify.ts';
import {
  overflowWordings,
  quotaWordings,
  rateLimitWordings,
} from '../../packages/providers/src/errors/error-table.ts';
import { readProviderError } from '../../packages/providers/src/errors/provider-error.ts';
import type { ProviderError } from '../../packages/providers/src/errors/provider-error.ts';
import { retryAfterMs } from '../../packages/providers/src/errors/retry-after.ts';

const now = new Date('2026-11-29T12:00:00Z');

function answer(fields: Partial<ProviderError> & { headers?: Record<string, string> }): ProviderError {
  const { headers = {}, ...rest } = fields;
  return {
    provider: 'Acme',
    status: 400,
    code: '',
    type: '',
    text: '',
    hasBody: true,
    header: (name) => headers[name] ?? null,
    ...rest,
  };
}

for (const { source, sample } of overflowWordings) {
  test(`${source}: "${sample.slice(0, 60)}" is an overflow`, () => {
    expect(classify(answer({ text: sample }), now).kind).toBe('overflow');
  });
}

for (const { source, sample } of rateLimitWordings) {
  test(`${source}: "${sample.slice(0, 60)}" is a rate limit, also with status 413`, () => {
    expect(classify(answer({ status: 413, text: sample }), now)).toMatchObject({
      kind: 'rate_limited',
      retryable: true,
    });
  });
}

for (const { source, sample } of quotaWordings) {
  test(`${source}: "${sample.slice(0, 60)}" is money, not a rate limit`, () => {
    expect(classify(answer({ status: 429, text: sample }), now)).toMatchObject({
      kind: 'quota',
      retryable: false,
    });
  });
}

const figures: readonly [text: string, prompt: number | undefined, window: number | undefined][] = [
  ['prompt is too long: 215000 tokens > 200000 maximum', 215_000, 200_000],
  ['prompt is too long', undefined, undefined],
  ['input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease', 190_000, 200_000],
  [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130042 tokens.",
    130_042,
    128_000,
  ],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (7000 in the messages, 2000 in the completion).",
    7_000,
    8_192,
  ],
  [
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (139000 of text input).",
    140_000,
    131_072,
  ],
  ['the request exceeds the available context size (4096 tokens), try increasing it', undefined, 4_096],
  [
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    1_200_000,
    1_048_576,
  ],
  ["This model's maximum prompt length is 131072 but the request contains 140000 tokens.", 140_000, 131_072],
  [
    'Prompt contains 140000 tokens, too large for model with 131,072 maximum context length',
    undefined,
    131_072,
  ],
  ['Your request exceeded model token limit: 262144 (requested: 270000)', 270_000, 262_144],
];

for (const [text, prompt, window] of figures) {
  test(`figures are read out of "${text.slice(0, 70)}"`, () => {
    const failed = classify(answer({ text }), now);

    expect([failed.kind, failed.reportedPromptTokens, failed.reportedWindowTokens]).toEqual([
      'overflow',
      prompt,
      window,
    ]);
  });
}

const answers: readonly [what: string, seen: Partial<ProviderError>, kind: string, retryable: boolean][] = [
  ['a body that is too large', { status: 413, type: 'request_too_large' }, 'overflow', false],
  ['413 without words', { status: 413 }, 'overflow', false],
  ['400 without a body', { status: 400, hasBody: false }, 'overflow', false],
  [
    'a code says it all',
    { status: 400, code: 'context_length_exceeded', text: 'whatever' },
    'overflow',
    false,
  ],
  [
    'a ramp limit',
    { status: 429, type: 'rate_limit_error', code: 'ramp_limit_exceeded' },
    'rate_limited',
    true,
  ],
  [
    'a spend limit behind 429',
    { status: 429, type: 'rate_limit_error', code: 'enforced_spend_limit_reached' },
    'quota',
    false,
  ],
  ['no quota', { status: 429, code: 'insufficient_quota' }, 'quota', false],
  ['payment required', { status: 402 }, 'quota', false],
  ['an overloaded model', { status: 529, type: 'overloaded_error' }, 'overloaded', true],
  ['overloaded inside a 200 stream', { status: null, type: 'overloaded_error' }, 'overloaded', true],
  ['a service that is away', { status: 503 }, 'overloaded', true],
  ['a refused key', { status: 401, type: 'authentication_error' }, 'auth', false],
  ['a forbidden model', { status: 403, type: 'permission_error' }, 'auth', false],
  ['an unknown model', { status: 404, type: 'not_found_error' }, 'model_not_found', false],
  ['a model the project may not use', { status: 403, code: 'model_not_found' }, 'model_not_found', false],
  ['a request timeout', { status: 408 }, 'timeout', true],
  ['a gateway timeout', { status: 504 }, 'timeout', true],
  ['a conflict', { status: 409 }, 'server_error', true],
  ['an internal error', { status: 500, type: 'api_error' }, 'server_error', true],
  [
    'a broken gateway with a page of HTML',
    { status: 502, text: '<html>502 Bad Gateway</html>' },
    'server_error',
    true,
  ],
  [
    'a request we built wrongly',
    {
      status: 400,
      type: 'invalid_request_error',
      text: 'A maximum of 4 blocks with cache_control may be provided.',
    },
    'bad_request',
    false,
  ],
];

for (const [what, seen, kind, retryable] of answers) {
  test(`${what} is ${kind}`, () => {
    expect(classify(answer(seen), now)).toMatchObject({ kind, retryable });
  });
}

test('a failure speaks in our own words and never in those of the provider', () => {
  const failed = classify(
    answer({
      status: 400,
      type: 'invalid_request_error',
      text: 'messages.3: "my secret diary" is not allowed',
    }),
    now,
  );

  expect(failed.message).toBe(
    'Acme answered 400 (invalid_request_error): the request is refused; this is a fault of ours or of the config',
  );
});

test('the server says whether to retry', () => {
  expect(classify(answer({ status: 500, headers: { 'x-should-retry': 'false' } }), now).retryable).toBe(
    false,
  );
  expect(classify(answer({ status: 400, headers: { 'x-should-retry': 'true' } }), now).retryable).toBe(true);
  expect(classify(answer({ status: 402, headers: { 'x-should-retry': 'true' } }), now).retryable).toBe(false);
});

test('the wait is read from milliseconds, seconds or a date', () => {
  const wait = (headers: Record<string, string>): number | null =>
    retryAfterMs((name) => headers[name] ?? null, now);

  expect(wait({ 'retry-after-ms': '1500', 'retry-after': '9' })).toBe(1500);
  expect(wait({ 'retry-after': '2.5' })).toBe(2500);
  expect(wait({ 'retry-after': 'Sun, 29 Nov 2026 12:00:30 GMT' })).toBe(30_000);
  expect(wait({ 'retry-after': 'soon' })).toBeNull();
  expect(wait({})).toBeNull();
});

test('an aggregator names the HTTP status inside its envelope', () => {
  const thrown = Object.assign(new Error('x'), {
    status: undefined,
    headers: new Headers(),
    error: {
      code: 429,
      message: 'Provider returned error',
      metadata: { raw: 'x/y is temporarily rate-limited upstream' },
    },
  });

  const read = readProviderError(thrown, 'OpenRouter');

  expect(read && [read.status, classify(read, now).kind]).toEqual([429, 'rate_limited']);
});
