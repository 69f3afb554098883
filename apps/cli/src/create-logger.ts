import pino from 'pino';
import type { Logger } from '@palimpsest/core';

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

/** JSON lines on standard error, so that standard output stays for what a command answers. */
export function createLogger(level: string, destination: number | string = 2): Logger {
  const paths = secrets.flatMap((key) => [key, `*.${key}`]);
  return pino(
    { level, redact: { paths, censor: '[redacted]' } },
    pino.destination({ dest: destination, sync: false, mkdir: true }),
  );
}
