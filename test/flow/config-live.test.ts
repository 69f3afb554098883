/** What the config file says of access, groups and who the bot is holds while the service runs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConfig, type Logger } from '@palimpsest/core';
import { createMeter } from '@palimpsest/metrics';
import { startFakeTelegram, type FakeTelegram, type ScriptRequest } from '@palimpsest/testkit';
import { watchConfigFile } from '../../apps/cli/src/watch-config-file.ts';
import { adapterOf } from '../support/fake-telegram.ts';
import { quickClock } from '../support/quick-clock.ts';
import { sharedPath } from '../support/shared.ts';
import { openTurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

const schema = sharedPath('telegram/bot-api.json');
const ada = 4_242;
const bob = 5_353;
const group = -1_001;

describe.skipIf(schema.missing)('a config file that is changed while we run', () => {
  let telegram: FakeTelegram;
  let folder: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-config-'));
    telegram = await startFakeTelegram({ schemaPath: schema.path, liftRateLimits: true });
    for (const [id, first_name] of [
      [ada, 'Ada'],
      [bob, 'Bob'],
    ] as const)
      telegram.addChat({ id, type: 'private', first_name });
    telegram.addChat({ id: group, type: 'supergroup', title: 'Printers' });
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await telegram.close();
  });

  async function open(config: string) {
    const path = join(folder, 'config.yaml');
    writeFileSync(path, config);
    const said: { level: string; keys?: unknown; problem?: unknown }[] = [];
    const log =
      (level: string): Logger['info'] =>
      (fields) =>
        void said.push({ level, ...fields });
    const logger = { info: log('info'), warn: log('warn'), error: log('error') } as Logger;
    const prompts: ScriptRequest[] = [];
    const world = await openTurnWorld({
      script: (request) => {
        prompts.push(request);
        return { text: 'Noted.' };
      },
      config,
      adapters: [adapterOf(telegram)],
    });
    const meter = createMeter({ strict: true });
    const ends = new AbortController();
    const watching = watchConfigFile(
      {
        path,
        config: world.workerDeps.config,
        read: () => parseConfig(readFileSync(path, 'utf8'), path),
        clock: quickClock(100),
        logger,
        meter,
      },
      ends.signal,
    );
    return {
      said,
      prompts,
      gauge: async () => /^gateway_config_last_reload_successful (\S+)$/m.exec(await meter.text())?.[1],
      /** Write the file and wait until it was looked at. */
      async write(text: string) {
        const before = said.length;
        writeFileSync(path, text);
        await until(() => said.length > before);
      },
      async [Symbol.asyncDispose]() {
        ends.abort();
        await watching;
        await world[Symbol.asyncDispose]();
      },
    };
  }

  const heard = (chatId: number) => telegram.sent(chatId).length;
  const answered = async (chatId: number, from = chatId, text = 'hello') => {
    const before = heard(chatId);
    telegram.userSends({ chatId, from, text });
    // Ada is always served, and behind Bob: once she has her answer his message was judged.
    const adas = heard(ada);
    telegram.userSends({ chatId: ada, text: 'and me?' });
    await until(() => heard(ada) > adas && telegram.sent(ada).at(-1)!.text === 'Noted.');
    return heard(chatId) > before;
  };

  test('lists hold at once, both ways', async () => {
    const listed = (...ids: number[]): string =>
      `platforms: {telegram: {allowed_users: [${ids.join(', ')}]}}`;
    await using world = await open(listed(ada));

    const before = await answered(bob);
    await world.write(listed(ada, bob));
    telegram.userSends({ chatId: bob, text: 'now?' });
    await until(() => heard(bob) === 1);
    await world.write(listed(ada));
    const after = await answered(bob);

    expect([before, after]).toEqual([false, false]);
    expect(world.said.filter(({ level }) => level === 'info')).toMatchObject([
      { level: 'info', keys: ['platforms.telegram.allowed_users'] },
      { level: 'info', keys: ['platforms.telegram.allowed_users'] },
    ]);
  });

  test('groups and instructions hold at once, other keys at the next start', async () => {
    const base = `allowed_users: [${ada}]`;
    await using world = await open(`platforms: {telegram: {${base}}}`);

    await world.write(
      `platforms: {telegram: {${base}, require_mention: false}}\nagent: {instructions: You are a pirate.}\ntimezone: Europe/Berlin`,
    );
    telegram.userSends({ chatId: group, from: ada, text: 'no mention here' });
    await until(() => heard(group) === 1);

    expect(JSON.stringify(world.prompts[0]!.raw)).toContain('You are a pirate.');
    expect(world.said).toMatchObject([
      { level: 'info', keys: ['agent.instructions', 'platforms.telegram.require_mention'] },
      { level: 'warn', keys: expect.arrayContaining(['timezone']) },
    ]);
    expect(await world.gauge()).toBe('1');
  });

  test('one that would be refused changes nothing and is told', async () => {
    await using world = await open(`platforms: {telegram: {allowed_users: [${ada}]}}`);

    await world.write(`platforms: {telegram: {allowed_users: [${bob}], allow_al: true}}`);

    expect(await world.gauge()).toBe('0');
    expect(world.said).toMatchObject([{ level: 'error', problem: expect.stringContaining('allow_al') }]);
    telegram.userSends({ chatId: ada, text: 'still me?' });
    await until(() => heard(ada) === 1);
  });
});
