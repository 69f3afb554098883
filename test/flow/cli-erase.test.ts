/** `palimpsest session export | erase` and `person erase`, as an operator runs them. */
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { SeenSeries } from '../support/seen-series.ts';
import { answering, ask, isAnswer, talk } from '../support/talk.ts';
import { openTurnWorld } from '../support/turn-world.ts';

const main = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url));

function palimpsest(
  databaseUrl: string,
  ...words: string[]
): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, PALIMPSEST_DATA: tmpdir() };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [main, ...words], { env, cwd: tmpdir() }, (_failed, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

test('a session is exported with states, summaries and ledger, and erased only with --yes', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000 });
  await talk(world, 16);
  await ask(world, '/compress');
  const sessionId = await world.sessionId();
  const run = (...words: string[]) => palimpsest(world.databaseUrl, ...words);

  const exported = await run('session', 'export', sessionId);
  const unsure = await run('session', 'erase', sessionId);
  const erased = await run('session', 'erase', sessionId, '--yes', '--json');

  const lines = exported.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; state?: string; kind?: string; summaryText?: string });
  expect(lines[0]).toMatchObject({ type: 'session', id: sessionId });
  const messages = lines.filter((line) => line.type === 'message');
  expect(messages).toHaveLength(33);
  expect(new Set(messages.map((line) => line.state))).toEqual(new Set(['archived', 'live']));
  expect(lines.filter((line) => line.type === 'compaction')).toMatchObject([
    { summaryText: expect.stringContaining('[CONTEXT COMPACTION]') },
  ]);
  expect(unsure).toMatchObject({ code: 1, out: '', err: expect.stringContaining('--yes') });
  expect(JSON.parse(erased.out)).toEqual({
    sessions: 1,
    messages: 32,
    quotes: 0,
    summaries: 1,
    payloads: 0,
    undone: 0,
  });
  expect(await world.store.erase.traces({ texts: ['ferry'] })).toEqual({});
  const seen = new SeenSeries();
  await seen.exportFrom(world);
  await seen.expectSeries('gateway_operator_acts act=erase via=cli');
  expect(await seen.meter.text()).toContain('gateway_operator_acts{act="erase",via="cli"} 1\n');
  await world.say('Hello again.');
  expect(await world.hear(1, isAnswer)).toHaveLength(1);
  expect(world.model.violations).toEqual([]);
}, 120_000);

test('a person is erased by id; of nobody it says so', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000 });
  await talk(world, 2);

  const unknown = await palimpsest(world.databaseUrl, 'person', 'erase', 'telegram', '12345', '--yes');
  const wrong = await palimpsest(world.databaseUrl, 'person', 'erase', 'smoke', '12345', '--yes');
  const erased = await palimpsest(world.databaseUrl, 'person', 'erase', 'local', 'local', '--yes');

  expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('12345') });
  expect(wrong.err).toContain('telegram, discord, local');
  expect(erased.out).toBe('Erased 4 messages in 1 sessions, 0 quotes of them, 0 summaries, 0 files.\n');
  expect(await world.store.erase.traces({ texts: ['ferry', 'Ada'], personIds: [1] })).toEqual({});
}, 120_000);
