/** The notice that the Codex route condenses later: for operators, once an installation. */
import { defaultConfig, type CompressionConfig, type Logger } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { autoraiseNotice } from '../../apps/cli/src/autoraise-notice.ts';
import { aModel } from '../support/memory-transcript.ts';
import { openStoreWorld, type StoreWorld } from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const codex = aModel({
  provider: 'openai-codex',
  name: 'gpt-5.5',
  label: 'openai-codex/gpt-5.5',
  windowTokens: 272_000,
});

function recorded(changes: Partial<CompressionConfig> = {}) {
  const logged: unknown[] = [];
  const note = (fields: unknown): void => void logged.push(fields);
  const logger = { info: note, warn: note, error: note, debug: note } as unknown as Logger;
  const config = defaultConfig();
  const parts = {
    config: { ...config, compression: { ...config.compression, ...changes } },
    logger,
    operators: world.operators,
  };
  return { parts, logged };
}

test('X1 it is said once, on the screen and in the log, with the line that takes it back', async () => {
  const { parts, logged } = recorded();

  const first = await autoraiseNotice(parts, codex);
  const second = await autoraiseNotice(parts, codex);
  const sibling = await autoraiseNotice(parts, { ...codex, name: 'gpt-5.6' });

  expect(first).toEqual([
    'gpt-5.5 on Codex is condensed at 85 % of its window: 231,200 tokens instead of 204,000.',
    'palimpsest config set compression.codex_gpt55_autoraise false takes that back. This is said once.',
  ]);
  expect([second, sibling]).toEqual([[], []]);
  expect(logged).toEqual([
    {
      model: 'openai-codex/gpt-5.5',
      triggerTokens: 231_200,
      withoutRaiseTokens: 204_000,
      command: 'palimpsest config set compression.codex_gpt55_autoraise false',
    },
  ]);
  expect(await world.query('SELECT name, value FROM told_once')).toEqual([
    { name: 'codex_autoraise', value: '0.85' },
  ]);
  expect(await world.query('SELECT 1 FROM outbox')).toEqual([]);
});

test('it is said again when the raised share became another', async () => {
  await world.query(`UPDATE told_once SET value = '0.8'`);

  expect(await autoraiseNotice(recorded().parts, codex)).toHaveLength(2);
});

test('nothing is said with the notice off, the raise off, compaction off, or on another route or window', async () => {
  await world.query('DELETE FROM told_once');
  const quiet = async (changes: Partial<CompressionConfig>, model = codex) =>
    autoraiseNotice(recorded(changes).parts, model);

  expect([
    await quiet({ codex_gpt55_autoraise_notice: false }),
    await quiet({ codex_gpt55_autoraise: false }),
    await quiet({ enabled: false }),
    await quiet({}, { ...codex, provider: 'openai' }),
    await quiet({}, { ...codex, windowTokens: 900_000 }),
    await quiet({}, { ...codex, name: 'gpt-5.3-codex-spark' }),
  ]).toEqual([[], [], [], [], [], []]);
  expect(await world.query('SELECT 1 FROM told_once')).toEqual([]);
});
