/**
 * What people say stays in the transcript: not in logs, not in metrics, not in the queue's tables, whatever goes wrong on the
 * way. Passwords in errors stand in secrets.test.ts; keys in summaries in test/unit/compressor-redact.test.ts.
 */
import { expect, test } from 'vitest';
import type { Logger, Tool } from '@palimpsest/core';
import { createMeter } from '@palimpsest/metrics';
import { queryDatabase, type ModelScript } from '@palimpsest/testkit';
import { openTurnWorld } from '../support/turn-world.ts';
import { untilQuiet } from '../support/until-quiet.ts';

const secret = 'walnut';
const key = 'sk-live-hunter2tr0ub4dor1234567890abcd';

/** Everything that is logged at any level, as text. */
function loggerInto(lines: string[]): Logger {
  const log = (fields: object, message: string): void =>
    void lines.push(`${JSON.stringify(fields)} ${message}`);
  const logger: Logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  return logger;
}

/** A tool whose result, and whose failure, tell it too. */
const teller: Tool = {
  repeatable: true,
  schema: {
    name: 'read_note',
    description: 'reads a note',
    parameters: { type: 'object', properties: { fail: { type: 'boolean' } } },
  },
  run: (input) =>
    input['fail'] === true
      ? Promise.reject(new Error(`the ${secret} ${key} cannot be read`))
      : Promise.resolve({ text: `note: ${secret} ${key}`, isError: false }),
};

/** Fails, calls the tool in both ways, then answers with it. */
function script(): ModelScript {
  let asked = 0;
  return () => {
    asked += 1;
    if (asked === 1) return { fault: 'server_error' };
    if (asked === 2) return { fault: 'mid_stream_error' };
    if (asked === 3) return { toolCalls: [{ name: 'read_note', arguments: { fail: true, why: secret } }] };
    if (asked === 4) return { toolCalls: [{ name: 'read_note', arguments: { why: secret } }] };
    return { text: `the ${secret} is under the stairs ${key}` };
  };
}

/** All rows of the queue's own tables, as text. */
async function jobs(databaseUrl: string): Promise<string> {
  const tables = await queryDatabase(
    databaseUrl,
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('public', 'drizzle', 'pg_catalog', 'information_schema')`,
  );
  expect(tables.length).toBeGreaterThan(0);
  const rows = await Promise.all(
    tables.map(({ name }) => queryDatabase(databaseUrl, `SELECT to_jsonb(t) AS row FROM ${String(name)} t`)),
  );
  return JSON.stringify(rows);
}

test('words of a person, an answer, a tool and its failure are in no log line, metric or job', async () => {
  const lines: string[] = [];
  const meter = createMeter({ strict: true });
  await using world = await openTurnWorld({
    script: script(),
    tools: [teller],
    logger: loggerInto(lines),
    meter,
  });

  // Two turns may fail; each message tells it again.
  for (const text of [
    `the ${secret} is here: ${key}`,
    `/title ${secret}`,
    `/compress ${secret}`,
    secret,
    secret,
  ])
    await world.say(text);
  await untilQuiet(world);
  const heard = (await world.heard()).join('\n');

  const everything = [...lines, await meter.text(), await jobs(world.databaseUrl)].join('\n');
  expect(heard).toContain(`under the stairs`);
  expect(lines.length).toBeGreaterThan(3);
  expect(await meter.text()).toContain('gateway_');
  expect(everything).not.toContain(secret);
  expect(everything).not.toContain(key);
}, 90_000);
