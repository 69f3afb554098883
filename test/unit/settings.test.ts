import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examineSettings, readSettings, type Environment } from '../../apps/cli/src/settings.ts';

const token = '123456:abcdefghijklmnop';
const webhook =
  'platforms: {telegram: {mode: webhook, webhook_url: "https://example.org/telegram/webhook"}}\n';

/** Settings and what is wrong with them, as `part: message`, for a folder with this config.yaml. */
function examine(config: string | null, env: Environment) {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-settings-'));
  try {
    if (config !== null) writeFileSync(join(folder, 'config.yaml'), config);
    const { settings, problems } = examineSettings(env, folder);
    const said = problems.map(({ part, error }) => `${part}: ${error.message.replaceAll(folder, 'FOLDER')}`);
    return { settings, said };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('the port of the environment stands in the config that holds', () => {
  const { settings } = examine('server: {port: 5}\n', { PORT: '99' });

  expect([settings.port, settings.config.server.port]).toEqual([99, 99]);
});

test('everything wrong is found at once, by the part it concerns; what is right still counts', () => {
  const { settings, said } = examine('context: {engine: foo}\n', {
    TELEGRAM_BOT_TOKEN: 'mine',
    DATABASE_URL: 'mysql://x',
    REDIS_URL: 'redis://127.0.0.1:6379',
  });

  expect(said).toEqual([
    'config: FOLDER/config.yaml:1: context.engine: "foo" is not accepted; allowed: compressor, lcm, dcp.',
    'telegram: TELEGRAM_BOT_TOKEN does not look like a bot token (digits, a colon and a secret, as BotFather gives it); 4 characters seen. Copy it again.',
    'database: DATABASE_URL is not a URL that begins with postgres:// or postgresql:// (9 characters seen). Correct it or unset it.',
  ]);
  expect(settings).toMatchObject({
    telegramToken: null,
    databaseUrl: null,
    redisUrl: 'redis://127.0.0.1:6379',
    config: { context: { engine: 'compressor' } },
  });
});

test('a start is refused with every problem, a line each', () => {
  expect(() => readSettings({ PORT: 'x', LOG_LEVEL: 'loud' }, '/nonexistent')).toThrow(
    /^PORT is "x".*\nLOG_LEVEL is "loud"; allowed: trace, debug, info, warn, error, fatal, silent\.$/,
  );
});

test('webhook mode with a token needs a secret, and one that Telegram takes', () => {
  const mode = 'telegram: platforms.telegram.mode is webhook and TELEGRAM_WEBHOOK_SECRET is';

  expect(examine(webhook, { TELEGRAM_BOT_TOKEN: token }).said).toEqual([
    `${mode} not set; set it to 1 to 256 letters, digits, _ or -.`,
  ]);
  expect(examine(webhook, { TELEGRAM_BOT_TOKEN: token, TELEGRAM_WEBHOOK_SECRET: 'a b' }).said).toEqual([
    `${mode} malformed (3 characters); set it to 1 to 256 letters, digits, _ or -.`,
  ]);
  expect(examine(webhook, { TELEGRAM_BOT_TOKEN: token, TELEGRAM_WEBHOOK_SECRET: 'a_b' }).said).toEqual([]);
  expect(examine(webhook, {}).said).toEqual([]);
});

test.each(['lcm', 'dcp'])(
  'an engine that is switched off is stood in for by the built-in one, aloud: %s',
  (engine) => {
    const { settings, said } = examine(`context: {engine: ${engine}, ${engine}: {enabled: false}}\n`, {});

    expect(said).toEqual([]);
    expect(settings.config.context.engine).toBe('compressor');
    expect(settings.warnings).toEqual([
      `context.engine is ${engine} and context.${engine}.enabled is false; the compressor takes its place`,
    ]);
  },
);

test('the lossless engine switched off is stood in for; its word for no maintenance jobs is understood', () => {
  const off = examine('context: {engine: lcm}\n', { LCM_ENABLED: 'false' }).settings;
  const inline = examine('context: {engine: lcm}\n', {
    LCM_PROACTIVE_THRESHOLD_COMPACTION_MODE: 'inline',
  }).settings;

  expect([off.config.context.engine, off.warnings]).toEqual([
    'compressor',
    ['context.engine is lcm and context.lcm.enabled is false; the compressor takes its place'],
  ]);
  expect([inline.config.context.engine, inline.config.compression.background]).toEqual(['lcm', false]);
});
