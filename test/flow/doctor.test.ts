/** doctor, as an operator runs it, against strict counterparts of the platforms and real servers. */
import pg from 'pg';
import { describe, test } from 'vitest';
import { intentBit, startFakeTelegram, type FakeTelegramOptions } from '@palimpsest/testkit';
import { redisCommands } from '../../infra/bootstrap/tests/redis-client.ts';
import { redisServerIsMissing, startRedisServer } from '../support/chaos/redis-server.ts';
import { createTestDatabase } from '../support/database.ts';
import { discordSchema, startDiscord } from '../support/discord.ts';
import { botApiSchema } from '../support/fake-telegram.ts';
import { doctor, ofPart } from '../support/run-doctor.ts';

const telegramFake = (options: Partial<FakeTelegramOptions> = {}) =>
  startFakeTelegram({ schemaPath: botApiSchema.path, liftRateLimits: true, ...options });

describe.skipIf(botApiSchema.missing || discordSchema.missing)('doctor', { timeout: 240_000 }, () => {
  test('everything in order: each part says so, and the code is 0', async ({ expect }) => {
    await using database = await createTestDatabase();
    await using telegram = await telegramFake();
    await using discord = await startDiscord();

    const { code, findings, out } = await doctor(
      {
        DATABASE_URL: database.url,
        TELEGRAM_BOT_TOKEN: telegram.token,
        DISCORD_BOT_TOKEN: discord.token,
        ANTHROPIC_API_KEY: 'test',
      },
      {
        model: { provider: 'anthropic', name: 'claude-sonnet-5', context_length: 200_000 },
        platforms: {
          telegram: { api_root: telegram.apiRoot, allowed_users: [7] },
          discord: { api_root: discord.restApi, allowed_users: ['111111111111111111'] },
        },
      },
    );

    expect(findings.filter(({ state }) => state !== 'fine')).toEqual([]);
    expect(code).toBe(0);
    expect(ofPart(findings, 'telegram')).toEqual([
      'fine: @palimpsest_test_bot answers',
      'fine: privacy mode is off: it hears everything in its groups',
      'fine: token set, 1 person allowed by the config',
    ]);
    expect(ofPart(findings, 'discord')).toEqual([
      expect.stringMatching(/^fine: .+ answers$/),
      'fine: Message Content Intent is on',
      'fine: token set, 1 person allowed by the config',
    ]);
    expect(ofPart(findings, 'model')).toEqual(['fine: anthropic/claude-sonnet-5, window 200,000 (config)']);
    expect(ofPart(findings, 'summaries')).toEqual([
      'fine: anthropic/claude-sonnet-5, window 200,000 (config); the main model writes them',
    ]);
    expect(ofPart(findings, 'clock')).toEqual([
      expect.stringMatching(/^fine: this machine and the database agree within [01]\.\d s$/),
    ]);
    expect(ofPart(findings, 'work')).toEqual(['fine: no message waits']);
    expect(out).not.toContain(telegram.token);
    expect(out).not.toContain(discord.token);
    expect([...telegram.violations, ...discord.violations]).toEqual([]);
  });

  test('intents, privacy mode, a foreign webhook and small windows are said with what to do', async ({
    expect,
  }) => {
    await using database = await createTestDatabase();
    await using telegram = await telegramFake({ hearsAll: false });
    await using discord = await startDiscord({ intentsGranted: intentBit.guildMembers });
    const hook = await fetch(`${telegram.apiRoot}/bot${telegram.token}/setWebhook`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: 'https://elsewhere.example/secret-path' }),
    });
    expect(hook.status).toBe(200);

    const { code, findings, out } = await doctor(
      {
        DATABASE_URL: database.url,
        TELEGRAM_BOT_TOKEN: telegram.token,
        DISCORD_BOT_TOKEN: discord.token,
        ANTHROPIC_API_KEY: 'test',
      },
      {
        model: {
          provider: 'anthropic',
          name: 'claude-sonnet-5',
          context_length: 200_000,
          table: { 'claude-tiny': { context_length: 30_000 } },
        },
        auxiliary: { compression: { model: 'claude-tiny', provider: 'anthropic' } },
        platforms: {
          telegram: { api_root: telegram.apiRoot, observe_unmentioned: 20 },
          discord: { api_root: discord.restApi },
        },
      },
    );

    expect(code).toBe(0);
    const [, privacy, webhook] = ofPart(findings, 'telegram');
    expect(privacy).toBe(
      'warning: privacy mode is on, so observe_unmentioned cannot work in groups: /setprivacy at @BotFather, Disable, then take the bot out of each group and add it again',
    );
    expect(webhook).toBe(
      'warning: a webhook is set (elsewhere.example) and the config says polling: another program may use this bot; a running gateway takes the webhook away',
    );
    expect(out).not.toContain('secret-path');
    expect(ofPart(findings, 'discord')[1]).toBe(
      'warning: Message Content Intent is off: in servers it can read only mentions of it and direct messages; switch on "Message Content Intent" under "Bot" → "Privileged Gateway Intents" at https://discord.com/developers/applications/1027672206240022830/bot',
    );
    expect(ofPart(findings, 'summaries')).toEqual([
      'warning: anthropic/claude-tiny, window 30,000 (config), smaller than the 200,000 of the main model: long stretches are condensed in several calls; name a model with a larger window in auxiliary.compression.model to avoid that',
    ]);
  });

  test('a refused token, and a platform that does not answer, are problems of their own', async ({
    expect,
  }) => {
    await using database = await createTestDatabase();
    await using telegram = await telegramFake();

    const { code, findings } = await doctor(
      {
        DATABASE_URL: database.url,
        TELEGRAM_BOT_TOKEN: '123456:some_other_token_of_a_bot',
        DISCORD_BOT_TOKEN: 'aaaa.bbbb.cccc',
      },
      {
        platforms: {
          telegram: { api_root: telegram.apiRoot },
          discord: { api_root: 'http://127.0.0.1:9/api' },
        },
      },
    );

    expect(code).toBe(1);
    expect(ofPart(findings, 'telegram')[0]).toMatch(
      /^problem: Telegram refuses the token \(.+\): copy it again from @BotFather into TELEGRAM_BOT_TOKEN$/,
    );
    expect(ofPart(findings, 'discord')[0]).toMatch(
      /^problem: platforms\.discord\.api_root does not answer \(.+\): look at the network of this machine, a proxy or that address$/,
    );
  });

  test('a message that nobody takes is a problem, with its age', async ({ expect }) => {
    await using database = await createTestDatabase();
    await leaveMessage(database.url, 300);

    const { code, findings } = await doctor({ DATABASE_URL: database.url });

    expect(code).toBe(1);
    expect(ofPart(findings, 'work')).toEqual([
      expect.stringMatching(
        /^problem: 1 message waits, the oldest for [3-9]\d\d s: look whether a worker runs \(npm start, or palimpsest worker\) and what its log says$/,
      ),
    ]);
  });

  test.skipIf(redisServerIsMissing())(
    'a Redis that may throw jobs away is a problem, one that keeps nothing on disk a warning',
    async ({ expect }) => {
      await using database = await createTestDatabase();
      await using redis = await startRedisServer();
      await redisCommands(redis.url, [['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru']]);

      const sick = await doctor({ DATABASE_URL: database.url, REDIS_URL: redis.url });
      await redisCommands(redis.url, [
        ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction'],
        ['CONFIG', 'SET', 'appendonly', 'yes'],
      ]);
      const sound = await doctor({ DATABASE_URL: database.url, REDIS_URL: redis.url });

      expect(ofPart(sick.findings, 'queue')).toEqual([
        expect.stringMatching(/^fine: Redis \d[\d.]+ answers$/),
        'problem: maxmemory-policy is allkeys-lru: jobs may be thrown away when memory is full; set it to noeviction (CONFIG SET maxmemory-policy noeviction, and in redis.conf)',
        'warning: Redis keeps nothing on disk: after its restart no message is lost, but each waits for the sweeper; set appendonly yes',
      ]);
      expect(sick.code).toBe(1);
      expect(ofPart(sound.findings, 'queue')).toEqual([
        expect.stringMatching(/^fine: Redis \d[\d.]+ answers$/),
      ]);
    },
  );
});

/** A message that was stored some time ago and that nobody took. */
async function leaveMessage(databaseUrl: string, secondsAgo: number): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query(`
      INSERT INTO chats (platform, account, chat_id, thread_id, kind) VALUES ('telegram', '1', '5', '', 'direct');
      INSERT INTO sessions (id, platform, account, chat_kind, chat_row_id, engine)
        SELECT 's1', 'telegram', '1', 'direct', id, 'compressor' FROM chats;
      INSERT INTO mailbox (session_id, seq, chat_row_id, kind, content, not_before, accepted_at)
        SELECT 's1', 1, id, 'message', '{"kind": "message"}', t, t
        FROM chats, (SELECT now() - interval '${secondsAgo} s' AS t) AS past`);
  } finally {
    await client.end();
  }
}
