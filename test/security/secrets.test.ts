/**
 * Passwords stay out of errors and logs. Secrets in summaries stand in test/unit/compressor-redact.test.ts; the words of
 * providers in test/unit/providers-errors.test.ts; all of a person after /forget in test/flow/forget.test.ts.
 */
import { describe, expect, test } from 'vitest';
import { silentLogger, type Logger } from '@palimpsest/core';
import { createQueue } from '@palimpsest/queue';
import { openStore } from '@palimpsest/store';
import { serviceAddresses } from '../support/test-services.ts';

const secret = 'hunter2-tr0ub4dor';

/** Everything that is logged, as text. */
function loggerInto(lines: string[]): Logger {
  const log = (fields: object, message: string): void =>
    void lines.push(`${JSON.stringify(fields)} ${message}`);
  const logger: Logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  return logger;
}

async function errorOf(work: Promise<unknown>): Promise<string> {
  const thrown = await work.then(
    () => new Error('nothing was thrown'),
    (cause: unknown) => cause,
  );
  return thrown instanceof Error ? `${thrown.message}` : String(thrown);
}

describe('an error names', () => {
  test('the database that refuses, not its password', async () => {
    const url = new URL(serviceAddresses().databaseUrl);
    url.search = '';
    url.username = 'nobody';
    url.password = secret;

    const message = await errorOf(openStore({ databaseUrl: url.href, logger: silentLogger, poolSize: 1 }));

    expect(message).toContain('database');
    expect(message).not.toContain(secret);
  });

  test('the Redis that is away, not its password', async () => {
    const lines: string[] = [];
    const queue = await createQueue({
      redisUrl: `redis://:${secret}@127.0.0.1:9`,
      databaseUrl: '',
      logger: loggerInto(lines),
    });

    const message = await errorOf(queue.ping());
    await queue.close();

    expect(message).toContain('127.0.0.1');
    expect([message, ...lines].join('\n')).not.toContain(secret);
  });
});
