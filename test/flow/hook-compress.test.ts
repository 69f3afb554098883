/** A conversation is condensed, and the operator's hooks hear of it: a webhook and a module, through the whole main path. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configSchema, silentLogger, systemClock, type GatewayEvent } from '@palimpsest/core';
import { createMeter } from '@palimpsest/metrics';
import { createHooks, runHooks } from '@palimpsest/worker';
import { expect, test } from 'vitest';
import { hookSecret, startHookReceiver } from '../support/hook-receiver.ts';
import { answering, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

/** Keeps each event in a file beside itself. */
const listener = `
import { appendFileSync } from 'node:fs';
export function onEvent(event) {
  appendFileSync(new URL('heard.jsonl', import.meta.url), JSON.stringify(event) + '\\n');
}`;

/** Runs hooks as a worker does; `heard` is what the module kept. */
async function openHooks({ store }: TurnWorld, url: string) {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-hooks-'));
  writeFileSync(join(folder, 'listen.mjs'), listener);
  const events = ['session:compress'];
  const { hooks: config } = configSchema.parse({
    hooks: {
      remote: { url, secret_variable: 'SECRET', allow_private: true, events },
      local: { module: 'listen.mjs', events },
    },
  });
  const made = createHooks({ config, folder, environment: { SECRET: hookSecret }, clock: systemClock });
  const deps = { store, clock: systemClock, logger: silentLogger, meter: createMeter({ strict: true }) };
  const ends = new AbortController();
  const running = runHooks({ ...deps, owner: 'a worker' }, made, ends.signal);
  await until(async () => (await store.leases.holder('hooks')) !== null);
  return {
    heard: () =>
      readFileSync(join(folder, 'heard.jsonl'), { encoding: 'utf8', flag: 'a+' })
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as GatewayEvent])),
    async [Symbol.asyncDispose]() {
      ends.abort();
      await running;
      rmSync(folder, { recursive: true });
    },
  };
}

test('session:compress of a condensation in place comes to a webhook, signed, and to a module, without a word of what was said', async () => {
  await using receiver = await startHookReceiver();
  await using world = await openTurnWorld({
    script: answering(),
    window: 8_000,
    config: 'compression: {threshold: 0.99, small_context_floor: null, background_at: 1}',
  });
  await using hooks = await openHooks(world, receiver.url);

  await talk(world, 11);
  await until(() => receiver.heard.length > 0 && hooks.heard().length > 0);

  const sessionId = await world.sessionId();
  const [row] = await world.store.compactions.ledger({ sessionId, limit: 1 });
  const [posted, ...others] = receiver.heard;
  expect(others).toEqual([]);
  expect(posted!.isSigned).toBe(true);
  // Receivers refuse what is more than five minutes from their own clock.
  expect(Math.abs(Number(posted!.headers['webhook-timestamp']) * 1_000 - Date.now())).toBeLessThan(300_000);
  expect(posted!.id).toMatch(/^evt_\d+$/);
  expect(posted!.body.type).toBe('session:compress');
  expect(posted!.body.data).toMatchObject({
    type: 'session:compress',
    sessionId,
    oldSessionId: '',
    inPlace: true,
    platform: 'local',
    engine: 'compressor',
    layer: 'hygiene',
    trigger: 'hygiene',
    outcome: 'success',
    compactionId: row!.id,
    compactionCount: 1,
  });
  expect(hooks.heard()).toEqual([posted!.body.data]);
  expect(JSON.stringify(posted!.body)).not.toMatch(/ferry|Noted/);
});
