import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { startFakeModel, type FakeModelOptions } from '@palimpsest/testkit';

type Block = Anthropic.TextBlockParam;
type Figures = [input: number, read: number, write5m: number, write1h: number];

const EPHEMERAL = { type: 'ephemeral' } as const;
const HOUR = { type: 'ephemeral', ttl: '1h' } as const;

/** A text block of so many words, one token each; `seed` makes it another text of the same size. */
function words(count: number, seed: string, mark?: Block['cache_control']): Block {
  return { type: 'text', text: `${seed} `.repeat(count), ...(mark ? { cache_control: mark } : {}) };
}

interface Ask {
  readonly system: Block[];
  readonly user: Block[];
  readonly model?: string;
  readonly apiKey?: string;
  readonly tools?: Anthropic.Tool[];
}

/** A server with a clock of its own; prompts smaller than 100 tokens are not cached. */
async function startCached(more: Partial<FakeModelOptions> = {}) {
  const time = { ms: 1_000_000 };
  const model = await startFakeModel({
    dialect: 'anthropic',
    window: 100_000,
    cacheMinimumTokens: 100,
    clock: { now: () => time.ms },
    script: () => ({ text: 'ok' }),
    ...more,
  });
  async function ask({
    system,
    user,
    model: name = 'claude-sonnet-5',
    apiKey = 'a',
    tools,
  }: Ask): Promise<Figures> {
    const client = new Anthropic({ apiKey, baseURL: model.baseUrl, maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: user }];
    const { usage } = await client.messages.create({
      model: name,
      max_tokens: 10,
      system,
      messages,
      ...(tools ? { tools } : {}),
    });
    return [
      usage.input_tokens,
      usage.cache_read_input_tokens ?? 0,
      usage.cache_creation?.ephemeral_5m_input_tokens ?? 0,
      usage.cache_creation?.ephemeral_1h_input_tokens ?? 0,
    ];
  }
  return { model, time, ask, [Symbol.asyncDispose]: () => model.close() };
}

test('a marked prefix is written once and read afterwards', async () => {
  await using cached = await startCached();
  const system = [words(200, 'sys', EPHEMERAL)];

  // 50 words + 4 for the message + 3 for the answer's opening are the uncached tail.
  expect(await cached.ask({ system, user: [words(50, 'one')] })).toEqual([57, 0, 200, 0]);
  expect(await cached.ask({ system, user: [words(50, 'two')] })).toEqual([57, 200, 0, 0]);
});

test('a growing conversation reads the old marks and writes only what is new', async () => {
  await using cached = await startCached();
  const system = [words(200, 'sys', EPHEMERAL)];

  expect(await cached.ask({ system, user: [words(50, 'one', EPHEMERAL)] })).toEqual([3, 0, 254, 0]);
  expect(await cached.ask({ system, user: [words(50, 'one'), words(30, 'two', EPHEMERAL)] })).toEqual([
    3, 254, 30, 0,
  ]);
});

test('both lifetimes are reported apart', async () => {
  await using cached = await startCached();

  const first = await cached.ask({ system: [words(200, 'sys', HOUR)], user: [words(50, 'one', EPHEMERAL)] });
  cached.time.ms += 1_800_000;
  const later = await cached.ask({ system: [words(200, 'sys', HOUR)], user: [words(50, 'one', EPHEMERAL)] });

  expect(first).toEqual([3, 0, 54, 200]);
  expect(later).toEqual([3, 200, 54, 0]);
});

test('an entry lives five minutes from its last use', async () => {
  await using cached = await startCached();
  const ask = () => cached.ask({ system: [words(200, 'sys', EPHEMERAL)], user: [words(10, 'one')] });

  await ask();
  cached.time.ms += 299_999;
  expect(await ask()).toEqual([17, 200, 0, 0]);
  cached.time.ms += 299_999;
  expect(await ask()).toEqual([17, 200, 0, 0]);
  cached.time.ms += 300_000;
  expect(await ask()).toEqual([17, 0, 200, 0]);
});

test('a prefix below the minimum is not cached and both counters are 0', async () => {
  await using cached = await startCached();
  const ask = () => cached.ask({ system: [words(99, 'sys', EPHEMERAL)], user: [words(10, 'one')] });

  expect(await ask()).toEqual([116, 0, 0, 0]);
  expect(await ask()).toEqual([116, 0, 0, 0]);
});

test('another model, another key, other tools and another system text are full misses', async () => {
  await using cached = await startCached();
  const system = [words(200, 'sys', EPHEMERAL)];
  const user = [words(10, 'one')];
  await cached.ask({ system, user });

  expect(await cached.ask({ system, user, model: 'claude-opus-4-8' })).toEqual([17, 0, 200, 0]);
  expect(await cached.ask({ system, user, apiKey: 'b' })).toEqual([17, 0, 200, 0]);
  expect(await cached.ask({ system: [words(200, 'sos', EPHEMERAL)], user })).toEqual([17, 0, 200, 0]);
  const tools: Anthropic.Tool[] = [{ name: 'clock', input_schema: { type: 'object' } }];
  expect((await cached.ask({ system, user, tools }))[1]).toBe(0);
});

test('a mark looks back twenty blocks, itself included, and no further', async () => {
  await using cached = await startCached();
  const grown = (extra: number) => [
    words(150, 'one'),
    ...Array.from({ length: extra }, (_, at) =>
      words(1, `w${at % 10}`, at === extra - 1 ? EPHEMERAL : undefined),
    ),
  ];
  const system = [words(1, 'sys')];
  await cached.ask({ system, user: [words(150, 'one', EPHEMERAL)] });

  const twenty = await cached.ask({ system, user: grown(20) });
  const nineteen = await cached.ask({ system, user: grown(19) });

  expect(twenty[1]).toBe(0);
  expect(nineteen[1]).toBe(155);
});

test('a string and a single text block are the same prefix', async () => {
  await using cached = await startCached();
  const client = new Anthropic({ apiKey: 'a', baseURL: cached.model.baseUrl, maxRetries: 0 });
  const text = 'word '.repeat(200);
  const ask = (content: Anthropic.MessageParam['content']) =>
    client.messages.create({
      model: 'claude-sonnet-5',
      max_tokens: 10,
      messages: [
        { role: 'user', content },
        { role: 'assistant', content: 'ok' },
        { role: 'user', content: [words(9, 'end', EPHEMERAL)] },
      ],
    });

  await ask([{ type: 'text', text }]);
  const second = await ask(text);

  // 3 messages × 4 + 200 + 1 + 9
  expect(second.usage).toMatchObject({ input_tokens: 3, cache_read_input_tokens: 222 });
});

test('a request-level mark lands on the last block', async () => {
  await using cached = await startCached();
  const client = new Anthropic({ apiKey: 'a', baseURL: cached.model.baseUrl, maxRetries: 0 });
  const ask = () =>
    client.messages.create({
      model: 'claude-sonnet-5',
      max_tokens: 10,
      cache_control: EPHEMERAL,
      messages: [{ role: 'user', content: 'word '.repeat(200) }],
    });

  await ask();
  const second = await ask();

  expect(second.usage).toMatchObject({ input_tokens: 3, cache_read_input_tokens: 204 });
});

test('an entry is readable only once the first answer has begun', async () => {
  const gate = Promise.withResolvers<void>();
  await using cached = await startCached({
    script: async ({ index }) => {
      if (index === 0) await gate.promise;
      return { text: 'ok' };
    },
  });
  const prompt = { system: [words(200, 'sys', EPHEMERAL)], user: [words(10, 'one')] };

  const first = cached.ask(prompt);
  await expect.poll(() => cached.model.requests.length).toBe(1);
  const beside = await cached.ask(prompt);
  gate.resolve();

  expect(beside).toEqual([17, 0, 200, 0]);
  expect(await first).toEqual([17, 0, 200, 0]);
  expect(await cached.ask(prompt)).toEqual([17, 200, 0, 0]);
});

test('OpenAI caches by itself from 1,024 tokens on, in steps of 128', async () => {
  await using model = await startFakeModel({
    dialect: 'openai-chat',
    window: 100_000,
    script: () => ({ text: 'ok' }),
  });
  const client = new OpenAI({ apiKey: 'a', baseURL: model.baseUrl, maxRetries: 0 });
  const ask = async (systemWords: number, question: string) => {
    const { usage } = await client.chat.completions.create({
      model: 'gpt-5.6',
      messages: [
        { role: 'system', content: 'word '.repeat(systemWords) },
        { role: 'user', content: question },
      ],
    });
    return [usage?.prompt_tokens, usage?.prompt_tokens_details?.cached_tokens];
  };

  // 4 + 1200 in the system message, 4 + 1 in the question, 3 for the answer's opening; 1204 = 9 × 128 + 52.
  expect(await ask(1200, 'one')).toEqual([1212, 0]);
  expect(await ask(1200, 'two')).toEqual([1212, 1152]);
  expect(await ask(1000, 'one')).toEqual([1012, 0]);
  expect(await ask(1000, 'two')).toEqual([1012, 0]);
});
