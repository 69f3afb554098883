import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defaultConfig, GatewayError, parseConfig, type Config } from '@palimpsest/core';
import { readTelemetry, type TelemetrySettings } from '@palimpsest/metrics';
import { webhookSecretProblem } from '@palimpsest/platforms/webhook-secret';
import { engineNames, plugInFolderOf } from './installed-engines.ts';
import { withSummaryRoute } from './lcm-summary-route.ts';
import { withLcmVariables } from './lcm-variables.ts';
import { logLevelOf, portOf, textOf, tokenOf, urlOf, type Environment } from './read-variables.ts';

export type { Environment } from './read-variables.ts';

/** Everything a program of ours is started with: the config file and what only the environment may hold. */
export interface Settings {
  /** As the file says, with the port of the environment where it names one. */
  config: Config;
  /** Path of the file read, null when there is none and the defaults hold. */
  configFile: string | null;
  dataDir: string;
  databaseUrl: string | null;
  redisUrl: string | null;
  port: number;
  password: string | null;
  /** Opens the pages without what was said. */
  viewerPassword: string | null;
  keys: ModelKeys;
  telegramToken: string | null;
  telegramWebhookSecret: string | null;
  discordToken: string | null;
  logLevel: string;
  /** As OpenTelemetry's variables ask for it; null: none leaves. */
  telemetry: TelemetrySettings | null;
  /** The environment itself, for `${NAME}` in the config's tool servers and for the programs among them. */
  environment: Environment;
  /** Where plug-in engines stand; it need not be there. */
  plugInFolder: string;
  /** What was set and is not used, a line each. */
  warnings: readonly string[];
}

export interface ModelKeys {
  anthropic?: string;
  openai?: string;
  openrouter?: string;
  nous?: string;
  custom?: string;
  /** For the service that writes down voice messages. */
  transcription?: string;
  /** Folder of the Codex CLI with its sign-in; left out: `.codex` in the home folder. */
  codexHome?: string;
  /** What the Codex program may see of the environment beside that folder. */
  codexEnvironment?: Readonly<Record<string, string>>;
}

/** One thing that is wrong, and the part of the service it concerns. */
export interface SettingsProblem {
  part: 'config' | 'database' | 'queue' | 'telegram' | 'discord';
  error: GatewayError;
}

/**
 * Settings from the environment (`.env` already merged in) and the config file.
 * throws config_invalid naming the variable or the file and line, one line a problem
 */
export function readSettings(env: Environment, folder: string): Settings {
  const { settings, problems } = examineSettings(env, folder);
  const [first, ...others] = problems;
  if (!first) return settings;
  if (others.length === 0) throw first.error;
  throw new GatewayError('config_invalid', problems.map(({ error }) => error.message).join('\n'));
}

/** The same without a throw: what is wrong counts as not set, so that everything else can still be looked at. */
export function examineSettings(
  env: Environment,
  folder: string,
): { settings: Settings; problems: readonly SettingsProblem[] } {
  const { problems, attempt } = collectProblems();
  const file = attempt('config', () => readConfig(env, folder), { path: null, config: defaultConfig() });
  const lcm = attempt('config', () => withLcmVariables(file.config.context.lcm, env), {
    lcm: file.config.context.lcm,
    warnings: [],
  });
  const context = chooseEngine({ ...file.config.context, lcm: lcm.lcm });
  const port = attempt('config', () => portOf(env), null) ?? file.config.server.port;
  const telegramToken = attempt('telegram', () => tokenOf(env, 'TELEGRAM_BOT_TOKEN', telegramShape), null);
  const asWritten = inlineWhereWanted({
    ...file.config,
    context: context.section,
    server: { ...file.config.server, port },
  });
  const settings: Settings = {
    config: attempt('config', () => withSummaryRoute(asWritten), asWritten),
    configFile: file.path,
    dataDir: resolve(folder, textOf(env, 'PALIMPSEST_DATA') ?? 'data'),
    databaseUrl: attempt('database', () => urlOf(env, 'DATABASE_URL', ['postgres:', 'postgresql:']), null),
    redisUrl: attempt('queue', () => urlOf(env, 'REDIS_URL', ['redis:', 'rediss:']), null),
    port,
    password: textOf(env, 'PALIMPSEST_PASSWORD'),
    viewerPassword: textOf(env, 'PALIMPSEST_VIEWER_PASSWORD'),
    keys: {
      anthropic: textOf(env, 'ANTHROPIC_API_KEY') ?? undefined,
      openai: textOf(env, 'OPENAI_API_KEY') ?? undefined,
      openrouter: textOf(env, 'OPENROUTER_API_KEY') ?? undefined,
      nous: textOf(env, 'NOUS_API_KEY') ?? undefined,
      custom: textOf(env, 'CUSTOM_API_KEY') ?? undefined,
      transcription: textOf(env, 'TRANSCRIPTION_API_KEY') ?? undefined,
      codexHome: textOf(env, 'CODEX_HOME') ?? undefined,
      codexEnvironment: pick(env, codexVariables),
    },
    telegramToken,
    telegramWebhookSecret: textOf(env, 'TELEGRAM_WEBHOOK_SECRET'),
    discordToken: attempt('discord', () => tokenOf(env, 'DISCORD_BOT_TOKEN', discordShape), null),
    logLevel: attempt('config', () => logLevelOf(env), 'info'),
    telemetry: attempt('config', () => readTelemetry(env), null),
    environment: env,
    plugInFolder: plugInFolderOf(configPathOf(env, folder)),
    warnings: [...lcm.warnings, ...context.warnings],
  };
  attempt('telegram', () => refuseOpenWebhook(settings), undefined);
  return { settings, problems };
}

/** `proactive_threshold_compaction_mode: inline` is the lossless engine's word for summaries without a maintenance job. */
function inlineWhereWanted(config: Config): Config {
  const { engine, lcm } = config.context;
  if (engine !== 'lcm' || lcm.proactive_threshold_compaction_mode !== 'inline') return config;
  return { ...config, compression: { ...config.compression, background: false } };
}

/** An engine of ours that is switched off is no reason not to start: the built-in one takes its place. */
function chooseEngine(section: Config['context']): {
  section: Config['context'];
  warnings: readonly string[];
} {
  const { engine } = section;
  if ((engine !== 'lcm' && engine !== 'dcp') || section[engine].enabled) return { section, warnings: [] };
  const warning = `context.engine is ${engine} and context.${engine}.enabled is false; the compressor takes its place`;
  return { section: { ...section, engine: 'compressor' }, warnings: [warning] };
}

/** Enough to start, to find its folder and to reach the network; no secret of ours is among them. */
const codexVariables = [
  'PATH',
  'HOME',
  'LANG',
  'TMPDIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

function pick(env: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = textOf(env, name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

const telegramShape = {
  pattern: /^\d{3,}:[\w-]{10,}$/,
  words: 'digits, a colon and a secret, as BotFather gives it',
};
const discordShape = {
  pattern: /^[\w-]+\.[\w-]+\.[\w-]+$/,
  words: 'three parts with dots, from the developer portal',
};

function collectProblems() {
  const problems: SettingsProblem[] = [];
  return { problems, attempt };

  function attempt<Value>(part: SettingsProblem['part'], read: () => Value, otherwise: Value): Value {
    try {
      return read();
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      problems.push({ part, error: thrown });
      return otherwise;
    }
  }
}

/** Anyone could post updates to a webhook without a secret. */
function refuseOpenWebhook({ config, telegramToken, telegramWebhookSecret }: Settings): void {
  const { enabled, mode } = config.platforms.telegram;
  if (!enabled || mode !== 'webhook' || telegramToken === null) return;
  const problem = webhookSecretProblem(telegramWebhookSecret);
  if (problem !== null) throw new GatewayError('config_invalid', problem);
}

function readConfig(env: Environment, folder: string): { path: string | null; config: Config } {
  const path = findConfigFile(env, folder);
  if (path === null) return { path, config: defaultConfig() };
  return { path, config: parseConfig(readConfigFile(path), path, { engines: engineNames(path) }) };
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

/** Where the config stands or would stand. */
export function configPathOf(env: Environment, folder: string): string {
  return resolve(folder, textOf(env, 'PALIMPSEST_CONFIG') ?? 'config.yaml');
}

function findConfigFile(env: Environment, folder: string): string | null {
  const path = configPathOf(env, folder);
  if (existsSync(path)) return path;
  if (textOf(env, 'PALIMPSEST_CONFIG'))
    throw new GatewayError(
      'config_invalid',
      `PALIMPSEST_CONFIG names ${path}, and there is no such file. Correct the path or unset it.`,
    );
  return null;
}
