/** Texts and updates nobody should send, through the whole main path. */
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { silentLogger, silentMeter, systemClock, textOfParts, type Tool } from '@palimpsest/core';
import { createDiscordAdapter, createTelegramAdapter } from '@palimpsest/platforms';
import { startFakeDiscord, startFakeTelegram } from '@palimpsest/testkit';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';
import { sharedPath } from '../support/shared.ts';

const botApiSchema = sharedPath('telegram/bot-api.json');
const discordSchema = sharedPath('discord/openapi.json');
const open = 'platforms:\n  telegram:\n    allow_all: true\n  discord:\n    allow_all: true\n';
const common = { logger: silentLogger, meter: silentMeter, clock: systemClock };

test('NUL bytes and lone surrogates in a message, a tool call, its result and the answer stop nothing', async () => {
  const seen: unknown[] = [];
  const odd: Tool = {
    repeatable: true,
    schema: {
      name: 'odd',
      description: 'gives odd text',
      parameters: { type: 'object', properties: { of: { type: 'string' } } },
    },
    run: async (input) => {
      seen.push(input);
      return { text: 'result \0 with \ud83d half', isError: false };
    },
  };
  await using world = await openTurnWorld({
    tools: [odd],
    script: (request) => {
      const results = request.messages.at(-1)!.toolResults;
      if (results.length > 0) return { text: `answer\0 \udc00 to ${results.length} results` };
      return {
        toolCalls: [
          { id: 'toolu_1', name: 'odd', arguments: { of: 'a\0b\ud800' } },
          { id: 'toolu_2', name: 'session_search', arguments: { query: 'cat\0 \udfff' } },
        ],
      };
    },
  });

  await world.say('hello\0 wor\ud83dld 🦉');

  expect(await world.hear(1)).toEqual(['answer \ufffd to 2 results']);
  expect(seen).toHaveLength(1);
  const texts = (await world.rows()).map((row) =>
    textOfParts(row.parts.filter((part) => part.type === 'text')),
  );
  expect(texts[0]).toBe('hello wor\ufffdld 🦉');
  expect(texts.at(-1)).toBe('answer \ufffd to 2 results');
  const result = (await world.rows()).flatMap((row) => row.parts).find((part) => part.type === 'tool_result');
  expect(result).toMatchObject({ text: 'result  with \ufffd half', isError: false });
  await world.say('and again');
  expect(await world.hear(2)).toHaveLength(2);
  expect(world.model.violations).toEqual([]);
});

test('a message of 5 MB is kept whole, the model sees a part that fits, and the next message is answered too', async () => {
  const window = 16_000;
  await using world = await openTurnWorld({
    window,
    script: ({ index }) => ({ text: `answer ${index + 1}` }),
  });
  const text = `begin ${'All work and no play makes Jack a dull boy. '.repeat(120_000)}end`;

  await world.say(text);
  expect(await world.hear(1)).toEqual(['answer 1']);
  await world.say('was that too long?');
  expect(await world.hear(2)).toEqual(['answer 1', 'answer 2']);

  expect(Buffer.byteLength(text)).toBeGreaterThan(5_000_000);
  expect((await keptText(world)) === text).toBe(true);
  expect(world.model.largestPromptTokens).toBeLessThan(window);
  expect(world.model.refused).toBe(0);
});

/** 10,000 characters in lines that say where they belong. */
const longAnswer = Array.from(
  { length: 200 },
  (_, line) => `${String(line).padStart(3, '0')} ${'x'.repeat(45)}`,
).join('\n');

test.skipIf(botApiSchema.missing)(
  'an answer of 10,000 characters arrives on Telegram whole and in order',
  async () => {
    await using telegram = await fakeTelegram();
    await using world = await openTurnWorld({
      script: () => ({ text: longAnswer }),
      config: open,
      adapters: [telegram.adapter],
    });

    telegram.fake.userSends({ chatId: 5, text: 'tell me all' });
    await vi.waitFor(
      () =>
        expect(
          telegram.fake
            .sent(5)
            .at(-1)
            ?.text.endsWith('199 ' + 'x'.repeat(45)),
        ).toBe(true),
      patience,
    );

    const parts = telegram.fake.sent(5).map((message) => message.text);
    expect(longAnswer).toHaveLength(9_999);
    expect(parts.join('\n')).toBe(longAnswer);
    expect(parts.length).toBe(3);
    expect(telegram.fake.violations).toEqual([]);
    expect(world.model.violations).toEqual([]);
  },
);

test.skipIf(discordSchema.missing)(
  'an answer of 10,000 characters arrives on Discord whole and in order',
  async () => {
    await using discord = await fakeDiscord();
    await using world = await openTurnWorld({
      script: () => ({ text: longAnswer }),
      config: open,
      adapters: [discord.adapter],
    });
    await vi.waitFor(() => expect(discord.fake.connected).toBe(1), patience);

    discord.fake.userSends({ channelId: discord.dm.id, author: discord.person, content: 'tell me all' });
    await vi.waitFor(
      () =>
        expect(
          discord.fake
            .sent(discord.dm.id)
            .at(-1)
            ?.content.endsWith('199 ' + 'x'.repeat(45)),
        ).toBe(true),
      patience,
    );

    const parts = discord.fake.sent(discord.dm.id).map((message) => message.content);
    expect(parts.join('\n')).toBe(longAnswer);
    expect(parts.length).toBe(6);
    expect(discord.fake.violations).toEqual([]);
    expect(world.model.violations).toEqual([]);
  },
);

describe.skipIf(botApiSchema.missing || discordSchema.missing)('updates of no known shape', () => {
  test('are kept as they came and marked, and the message behind them is answered', async () => {
    await using telegram = await fakeTelegram();
    await using discord = await fakeDiscord();
    await using world = await openTurnWorld({
      script: () => ({ text: 'fine' }),
      config: open,
      adapters: [telegram.adapter, discord.adapter],
    });
    await vi.waitFor(() => expect(discord.fake.connected).toBe(1), patience);
    const monsters = [
      { message: { thumb: 1 } },
      { message: null },
      { message: { message_id: 'one', chat: {}, date: {}, text: 5 } },
      {
        message: {
          message_id: 9e15,
          chat: { id: 1e300, type: 'private' },
          date: -1e12,
          from: { id: 1 },
          text: 'old',
        },
      },
      { edited_message: [] },
    ];
    for (const monster of monsters) {
      telegram.fake.pushUpdate({ update_id: telegram.fake.nextUpdateId, ...monster } as never, {
        checked: false,
      });
    }
    telegram.fake.userSends({ chatId: 5, text: 'x'.repeat(50_000) });
    discord.fake.dispatchRaw('MESSAGE_CREATE', { channel_id: 7 });
    discord.fake.dispatchRaw('MESSAGE_CREATE', { id: {}, channel_id: [], author: 'me', content: { a: 1 } });
    discord.fake.dispatchRaw('MESSAGE_UPDATE', { id: null });
    discord.fake.userSends({ channelId: discord.dm.id, author: discord.person, content: 'y'.repeat(4_000) });

    await vi.waitFor(
      () => expect(telegram.fake.sent(5).map((message) => message.text)).toEqual(['fine']),
      patience,
    );
    await vi.waitFor(
      () => expect(discord.fake.sent(discord.dm.id).map((message) => message.content)).toEqual(['fine']),
      patience,
    );
    expect(telegram.fake.pendingUpdates()).toEqual([]);
    expect(await inboxOf(world.databaseUrl, 'telegram')).toEqual([
      'unparsed a message without message_id kept',
      'unparsed message is no object kept',
      'unparsed a message without message_id kept',
      'unparsed a message without a chat kept',
      'unparsed edited_message is no object kept',
      'stored kept',
    ]);
    // The bot's own answer may follow.
    expect((await inboxOf(world.databaseUrl, 'discord')).slice(0, 4)).toEqual([
      'unparsed MESSAGE_CREATE: field channel_id is a number, not a text kept',
      'unparsed MESSAGE_CREATE: field channel_id is a list, not a text kept',
      'ignored unsupported_kind not kept',
      'stored kept',
    ]);
    expect(telegram.fake.violations).toEqual([]);
    expect(discord.fake.violations).toEqual([]);
  });
});

/** What became of each update of a platform, in order: status, reason, whether its bytes are kept. */
async function inboxOf(databaseUrl: string, platform: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ told: string }>(
    `SELECT concat_ws(' ', status, reason, CASE WHEN raw IS NULL THEN 'not kept' ELSE 'kept' END) AS told
       FROM inbox WHERE platform = $1 ORDER BY id`,
    [platform],
  );
  await client.end();
  return rows.map((row) => row.told);
}

/** The first message as it lies beside its row. */
async function keptText(world: TurnWorld): Promise<string> {
  const [row] = await world.rows();
  const kept = row?.parts.find((part) => part.type === 'payload');
  if (kept === undefined) return '';
  let text = '';
  for (let offset = 0; ;) {
    const page = await world.store.transcript.payload(await world.sessionId(), kept.payloadId, {
      offset,
      maxBytes: 1_000_000,
    });
    if (!page || page.nextOffset === offset) break;
    text += page.text;
    offset = page.nextOffset;
  }
  return text;
}

const patience = { timeout: 25_000, interval: 20 };

async function fakeTelegram() {
  const fake = await startFakeTelegram({ schemaPath: botApiSchema.path, liftRateLimits: true });
  const adapter = createTelegramAdapter({
    ...common,
    token: fake.token,
    apiRoot: fake.apiRoot,
    mode: 'polling',
    webhookUrl: null,
    webhookSecret: null,
  });
  return { fake, adapter, [Symbol.asyncDispose]: () => fake.close() };
}

async function fakeDiscord() {
  const fake = await startFakeDiscord({ schemaPath: discordSchema.path, liftRateLimits: true });
  const person = { id: '700000000000000001', username: 'ada' };
  const adapter = createDiscordAdapter({
    ...common,
    token: fake.token,
    apiRoot: fake.restApi,
    backfillPoints: async () => [],
    // As messages only; a file in place of more than five parts has tests of its own.
    fileOverParts: 0,
  });
  return { fake, adapter, person, dm: fake.addDm(person), [Symbol.asyncDispose]: () => fake.close() };
}
