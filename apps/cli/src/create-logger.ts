import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { GatewayError, type Logger } from '@palimpsest/core';

/** Keys that may hold a secret, wherever they stand; our own code does not log them, this is the net below. */
const secrets = [
  'token',
  'password',
  'apiKey',
  'api_key',
  'authorization',
  'secret',
  'databaseUrl',
  'redisUrl',
];

/**
 * The log's file in the data folder, which is created when it is missing.
 * throws config_invalid when that folder cannot be had: pino would wait for its file without a word
 */
export function logFileIn(dataDir: string): string {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new GatewayError(
      'config_invalid',
      `the data folder ${dataDir} cannot be created or written (${code}). Make it a folder of this user, or name another one in PALIMPSEST_DATA.`,
      { cause },
    );
  }
  return join(dataDir, 'palimpsest.log');
}

/**
 * JSON lines on standard error, so that standard output stays for what a command answers. With a file the lines go
 * there, and errors are told on standard error too, in plain words: nobody reads a log while the screen looks fine.
 */
export function createLogger(level: string, destination: number | string = 2): Logger {
  const paths = secrets.flatMap((key) => [key, `*.${key}`]);
  const lines = pino.destination({ dest: destination, sync: false, mkdir: true });
  const streams = typeof destination === 'number' ? lines : tee(lines, level);
  return pino({ level, redact: { paths, censor: '[redacted]' } }, streams);
}

function tee(lines: pino.DestinationStream, level: string): pino.DestinationStream {
  const all = { level: level === 'silent' ? 'fatal' : (level as pino.Level), stream: lines };
  return pino.multistream([all, { level: 'error', stream: { write: tellError } }]);
}

function tellError(line: string): void {
  const { msg, problem } = JSON.parse(line) as { msg?: string; problem?: string };
  process.stderr.write(`Error: ${[msg, problem].filter(Boolean).join(': ')}\n`);
}
