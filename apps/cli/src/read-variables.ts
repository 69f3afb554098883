/** Environment variables as values. Each throws config_invalid naming the variable; of a secret only its length. */
import { GatewayError } from '@palimpsest/core';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The text without blanks around it; null when nothing is left. */
export function textOf(env: Environment, name: string): string | null {
  return env[name]?.trim() || null;
}

const logLevels: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export function logLevelOf(env: Environment): string {
  const level = textOf(env, 'LOG_LEVEL') ?? 'info';
  if (logLevels.includes(level)) return level;
  throw new GatewayError(
    'config_invalid',
    `LOG_LEVEL is ${JSON.stringify(level)}; allowed: ${logLevels.join(', ')}.`,
  );
}

export function urlOf(env: Environment, name: string, protocols: readonly string[]): string | null {
  const text = textOf(env, name);
  if (text === null) return null;
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
  // The value may hold a password, so only its shape is named.
  throw new GatewayError(
    'config_invalid',
    `${name} is not a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')} (${text.length} characters seen). Correct it or unset it.`,
  );
}

export function portOf(env: Environment): number | null {
  const text = textOf(env, 'PORT');
  if (text === null) return null;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new GatewayError(
    'config_invalid',
    `PORT is ${JSON.stringify(text)}; a whole number from 0 to 65535 is allowed (0 takes a free port).`,
  );
}

export function tokenOf(
  env: Environment,
  name: string,
  shape: { pattern: RegExp; words: string },
): string | null {
  const text = textOf(env, name);
  if (text === null || shape.pattern.test(text)) return text;
  throw new GatewayError(
    'config_invalid',
    `${name} does not look like a bot token (${shape.words}); ${text.length} characters seen. Copy it again.`,
  );
}
