import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defaultConfig, GatewayError, parseConfig, type Config } from '@palimpsest/core';
import { engineNames } from './installed-engines.ts';

/** Everything a program of ours is started with: the config file and what only the environment may hold. */
export interface Settings {
  config: Config;
  /** Path of the file read, null when there is none and the defaults hold. */
  configFile: string | null;
  dataDir: string;
  databaseUrl: string | null;
  redisUrl: string | null;
  port: number;
  password: string | null;
  keys: ModelKeys;
  telegramToken: string | null;
  telegramWebhookSecret: string | null;
  discordToken: string | null;
  logLevel: string;
}

export interface ModelKeys {
  anthropic?: string;
  openai?: string;
  openrouter?: string;
  custom?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Settings from the environment (`.env` already merged in) and the config file.
 * throws config_invalid naming the variable or the file and line
 */
export function readSettings(env: Environment, folder: string): Settings {
  const configFile = findConfigFile(env, folder);
  const config = configFile
    ? parseConfig(readConfigFile(configFile), configFile, { engines: engineNames() })
    : defaultConfig();
  const value = (name: string): string | null => env[name]?.trim() || null;
  return {
    config,
    configFile,
    dataDir: resolve(folder, value('PALIMPSEST_DATA') ?? 'data'),
    databaseUrl: urlOf(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    redisUrl: urlOf(env, 'REDIS_URL', ['redis:', 'rediss:']),
    port: portOf(env) ?? config.server.port,
    password: value('PALIMPSEST_PASSWORD'),
    keys: {
      anthropic: value('ANTHROPIC_API_KEY') ?? undefined,
      openai: value('OPENAI_API_KEY') ?? undefined,
      openrouter: value('OPENROUTER_API_KEY') ?? undefined,
      custom: value('CUSTOM_API_KEY') ?? undefined,
    },
    telegramToken: tokenOf(env, 'TELEGRAM_BOT_TOKEN', {
      pattern: /^\d{3,}:[\w-]{10,}$/,
      words: 'digits, a colon and a secret, as BotFather gives it',
    }),
    telegramWebhookSecret: value('TELEGRAM_WEBHOOK_SECRET'),
    discordToken: tokenOf(env, 'DISCORD_BOT_TOKEN', {
      pattern: /^[\w-]+\.[\w-]+\.[\w-]+$/,
      words: 'three parts with dots, from the developer portal',
    }),
    logLevel: logLevelOf(env),
  };
}

function readConfigFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new GatewayError(
      'config_invalid',
      `${path} cannot be read (${code}). Make it a file this user may read, or name another one in PALIMPSEST_CONFIG.`,
      { cause },
    );
  }
}

const logLevels: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

function logLevelOf(env: Environment): string {
  const level = env['LOG_LEVEL']?.trim() || 'info';
  if (logLevels.includes(level)) return level;
  throw new GatewayError(
    'config_invalid',
    `LOG_LEVEL is ${JSON.stringify(level)}; allowed: ${logLevels.join(', ')}.`,
  );
}

function findConfigFile(env: Environment, folder: string): string | null {
  const named = env['PALIMPSEST_CONFIG']?.trim();
  if (named) {
    const path = resolve(folder, named);
    if (existsSync(path)) return path;
    throw new GatewayError(
      'config_invalid',
      `PALIMPSEST_CONFIG names ${path}, and there is no such file. Correct the path or unset it.`,
    );
  }
  const usual = resolve(folder, 'config.yaml');
  return existsSync(usual) ? usual : null;
}

function urlOf(env: Environment, name: string, protocols: readonly string[]): string | null {
  const text = env[name]?.trim();
  if (!text) return null;
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
  // The value may hold a password, so only its shape is named.
  throw new GatewayError(
    'config_invalid',
    `${name} is not a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')} (${text.length} characters seen). Correct it or unset it.`,
  );
}

function portOf(env: Environment): number | null {
  const text = env['PORT']?.trim();
  if (!text) return null;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new GatewayError(
    'config_invalid',
    `PORT is ${JSON.stringify(text)}; a whole number from 0 to 65535 is allowed (0 takes a free port).`,
  );
}

function tokenOf(env: Environment, name: string, shape: { pattern: RegExp; words: string }): string | null {
  const text = env[name]?.trim();
  if (!text) return null;
  if (shape.pattern.test(text)) return text;
  throw new GatewayError(
    'config_invalid',
    `${name} does not look like a bot token (${shape.words}); ${text.length} characters seen. Copy it again.`,
  );
}
