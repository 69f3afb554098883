/** Events on their way to hooks: a real database, a real receiver, a clock that nobody waits for. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configSchema, silentLogger, systemClock, type Config, type GatewayEvent } from '@palimpsest/core';
import { createMeter } from '@palimpsest/metrics';
import { createHooks, tellDue } from '@palimpsest/worker';
import { expect, test, vi } from 'vitest';
import { createHookStore } from '../../packages/store/src/hooks/create-hook-store.ts';
import { createLeaseStore } from '../../packages/store/src/leases.ts';
import { transaction } from '../../packages/store/src/database.ts';
import { writeEvents } from '../../packages/store/src/write-events.ts';
import { hookSecret, startHookReceiver } from '../support/hook-receiver.ts';
import { openStoreWorld } from '../support/store-world.ts';

async function openHookWorld(hooks: Record<string, unknown>, folder = tmpdir()) {
  const world = await openStoreWorld();
  const config: Config = configSchema.parse({ hooks });
  const ground = { config: config.hooks, folder, environment: { SECRET: hookSecret }, clock: systemClock };
  const made = createHooks(ground);
  const store = { hooks: createHookStore(world.db), leases: createLeaseStore(world.db) };
  const meter = createMeter({ strict: true });
  const deps = { store, clock: systemClock, logger: silentLogger, meter, owner: 'a' };
  await store.hooks.subscribe(made);
  return {
    world,
    store,
    meter,
    events: (...events: GatewayEvent[]) => transaction(world.db, (tx) => writeEvents(tx, events)),
    tell: (owner = 'a') => tellDue({ ...deps, owner }, made, new AbortController().signal),
    /** Every rest is over. */
    passRests: () => world.query(`UPDATE hook_deliveries SET not_before = now() WHERE state = 'pending'`),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

const exported = (sessionId: string): GatewayEvent => ({
  type: 'session:export',
  sessionId,
  platform: 'local',
});
const started = (sessionId: string): GatewayEvent => ({
  type: 'session:start',
  sessionId,
  platform: 'local',
});

test('an event is written with a row for each hook that wants it, and posted once, signed', async () => {
  await using server = await startHookReceiver();
  const url = server.url;
  const common = { url, secret_variable: 'SECRET', allow_private: true };
  await using hooks = await openHookWorld({
    all: common,
    starts: { ...common, events: ['session:start'] },
  });
  const { sessionId } = await hooks.world.newSession();

  await hooks.events(exported(sessionId));
  const rows = await hooks.world.query<{ subscriber: string }>(`SELECT subscriber FROM hook_deliveries`);
  const told = [await hooks.tell(), await hooks.tell()];

  expect(rows).toEqual([{ subscriber: 'all' }]);
  expect(told).toEqual([1, 0]);
  expect(server.heard).toHaveLength(1);
  const [one] = server.heard;
  expect(one?.body).toMatchObject({ type: 'session:export', data: { type: 'session:export', sessionId } });
  expect(one?.headers['webhook-id']).toMatch(/^evt_\d+$/);
  expect(one?.isSigned).toBe(true);
  expect(await hooks.meter.text()).toContain(
    'gateway_hook_deliveries_total{kind="webhook",outcome="delivered"} 1',
  );
  expect(await hooks.meter.text()).toContain('gateway_hook_duration_seconds_count{kind="webhook"} 1');
});

test('a session is told of in order: later events wait while an earlier one is tried again, other sessions do not', async () => {
  let failures = 2;
  await using server = await startHookReceiver((heard) =>
    heard.body.data.type === 'session:start' && failures-- > 0 ? 503 : 200,
  );
  await using hooks = await openHookWorld({
    all: { url: server.url, secret_variable: 'SECRET', allow_private: true },
  });
  const [one, other] = [await hooks.world.newSession(), await hooks.world.newSession()];
  await hooks.events(started(one.sessionId), exported(one.sessionId), exported(other.sessionId));

  await hooks.tell();
  const whileResting = await hooks.tell();
  await hooks.passRests();
  await hooks.tell();
  await hooks.passRests();
  await hooks.tell();
  await hooks.tell();

  expect(whileResting).toBe(0);
  const ids = new Set(server.heard.map(({ headers }) => headers['webhook-id']));
  expect(ids.size).toBe(3);
  const ofOne = server.heard.filter(({ body }) => body.data.sessionId === one.sessionId);
  expect(ofOne.map(({ body }) => body.type)).toEqual([
    'session:start',
    'session:start',
    'session:start',
    'session:export',
  ]);
  expect(server.heard.filter(({ body }) => body.data.sessionId === other.sessionId)).toHaveLength(1);
});

test('an event that fails rests longer each time, as long as the receiver asks, and is given up at the last try', async () => {
  const answers = [500, 500, { status: 429, headers: { 'retry-after': '600' } }, 500, 500];
  await using server = await startHookReceiver(() => answers.shift() ?? 200);
  await using hooks = await openHookWorld({
    all: { url: server.url, secret_variable: 'SECRET', allow_private: true, max_attempts: 5 },
  });
  const failed = vi.spyOn(hooks.store.hooks, 'failed');
  const { sessionId } = await hooks.world.newSession();
  await hooks.events(started(sessionId), exported(sessionId));

  for (let round = 0; round < 6; round++) {
    await hooks.tell();
    await hooks.passRests();
  }

  expect(failed.mock.calls.map(([, end]) => end.retryInMs)).toEqual([5_000, 10_000, 600_000, 40_000, null]);
  expect(new Set(server.heard.slice(0, 5).map(({ id }) => id)).size).toBe(1);
  expect(server.heard.every(({ isSigned }) => isSigned)).toBe(true);
  expect(server.heard.slice(5).map(({ body }) => body.type)).toEqual(['session:export']);
  expect(await hooks.store.hooks.dead(10)).toMatchObject([{ type: 'session:start', attempts: 5 }]);
});

test('a round whose note of one event fails ends no sooner than its other requests, which are not made twice', async () => {
  const slow = Promise.withResolvers<number>();
  const asked = Promise.withResolvers<void>();
  await using server = await startHookReceiver(({ body }) => {
    if (body.type === 'session:export') return 200;
    asked.resolve();
    return slow.promise;
  });
  await using hooks = await openHookWorld({
    all: { url: server.url, secret_variable: 'SECRET', allow_private: true },
  });
  const [one, other] = [await hooks.world.newSession(), await hooks.world.newSession()];
  await hooks.events(started(one.sessionId), exported(other.sessionId));
  const noted = vi.spyOn(hooks.store.hooks, 'delivered').mockRejectedValueOnce(new Error('away'));

  let isOver = false;
  const round = hooks.tell().finally(() => (isOver = true));
  round.catch(() => {});
  await asked.promise;
  await vi.waitFor(() => expect(noted).toHaveBeenCalledTimes(1));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  slow.resolve(200);
  await expect(round).rejects.toThrow('away');
  await hooks.tell();

  expect(server.heard.filter(({ body }) => body.type === 'session:start')).toHaveLength(1);
  expect(server.heard.filter(({ body }) => body.type === 'session:export')).toHaveLength(2);
});

test('what failed too often is a dead letter, which an operator tries again or drops; the next event goes on', async () => {
  let isUp = false;
  await using server = await startHookReceiver(({ body }) =>
    isUp || body.type === 'session:export' ? 200 : 500,
  );
  await using hooks = await openHookWorld({
    all: { url: server.url, secret_variable: 'SECRET', allow_private: true, max_attempts: 1 },
  });
  const { sessionId } = await hooks.world.newSession();
  await hooks.events(started(sessionId), exported(sessionId), started(sessionId));

  for (let round = 0; round < 4; round++) await hooks.tell();

  const dead = await hooks.store.hooks.dead(10);
  expect(dead.map(({ type, problem, attempts }) => ({ type, problem, attempts }))).toEqual([
    { type: 'session:start', problem: 'answered 500', attempts: 1 },
    { type: 'session:start', problem: 'answered 500', attempts: 1 },
  ]);
  expect((await hooks.world.operators.gauges()).dead.hook).toBe(2);
  isUp = true;
  const actor = { name: 'ada', via: 'cli' } as const;
  const [newest, oldest] = dead;
  expect(await hooks.store.hooks.settleDead(oldest!, 'retry', actor)).toBe(true);
  expect(await hooks.store.hooks.settleDead(newest!, 'drop', actor)).toBe(true);
  expect(await hooks.store.hooks.settleDead(newest!, 'drop', actor)).toBe(false);
  expect(await hooks.world.query('SELECT act FROM operator_actions ORDER BY id')).toEqual([
    { act: 'retry_event' },
    { act: 'drop_event' },
  ]);
  await hooks.tell();
  expect(await hooks.store.hooks.dead(10)).toEqual([]);
  expect(server.heard).toHaveLength(4);
});

test('a url that leads into a private network is refused unless the key allows it; a redirect is not followed', async () => {
  await using server = await startHookReceiver(() => 302);
  const port = new URL(server.url).port;
  await using hooks = await openHookWorld({
    number: { url: server.url, secret_variable: 'SECRET' },
    name: { url: `http://localhost:${port}/hook`, secret_variable: 'SECRET' },
    redirect: { url: server.url, secret_variable: 'SECRET', allow_private: true },
  });
  const { sessionId } = await hooks.world.newSession();
  await hooks.events(started(sessionId));

  await hooks.tell();

  const problems = await hooks.world.query(
    `SELECT subscriber, problem FROM hook_deliveries ORDER BY subscriber`,
  );
  expect(problems).toEqual([
    {
      subscriber: 'name',
      problem: expect.stringMatching(/ is an address of a private network; allow_private/),
    },
    { subscriber: 'number', problem: expect.stringMatching(/^127.0.0.1 is an address of a private network/) },
    { subscriber: 'redirect', problem: 'answered 302' },
  ]);
  expect(server.heard).toHaveLength(1);
});

test('a module beside the config hears the event; one that throws is tried again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-hook-'));
  writeFileSync(
    join(folder, 'listen.mjs'),
    `let calls = 0;
     export async function onEvent(event) {
       if (++calls === 1) throw new Error('not yet');
       globalThis.heardByHook = event;
     }`,
  );
  await using hooks = await openHookWorld(
    { local: { module: 'listen.mjs', events: ['session:start'] } },
    folder,
  );
  const { sessionId } = await hooks.world.newSession();
  await hooks.events(started(sessionId));

  await hooks.tell();
  const [failed] = await hooks.world.query(`SELECT state, attempts, problem FROM hook_deliveries`);
  await hooks.passRests();
  await hooks.tell();
  const [done] = await hooks.world.query(`SELECT state FROM hook_deliveries`);
  rmSync(folder, { recursive: true });

  expect(failed).toEqual({ state: 'pending', attempts: 1, problem: 'not yet' });
  expect(done).toEqual({ state: 'done' });
  expect((globalThis as { heardByHook?: unknown }).heardByHook).toMatchObject({
    type: 'session:start',
    sessionId,
  });
});

test('of two processes one tells; a hook that left the config leaves dead letters, not a queue', async () => {
  await using server = await startHookReceiver();
  await using hooks = await openHookWorld({
    all: { url: server.url, secret_variable: 'SECRET', allow_private: true },
  });
  const { sessionId } = await hooks.world.newSession();
  await hooks.events(started(sessionId));
  await hooks.tell('a');
  await hooks.events(exported(sessionId));

  const byAnother = await hooks.tell('b');
  await hooks.store.hooks.subscribe([]);

  expect(byAnother).toBe(0);
  expect(await hooks.store.hooks.dead(10)).toMatchObject([
    { type: 'session:export', problem: 'there is no such hook in the config any more' },
  ]);
});

test('a webhook without its secret is told at the start, by the names of hook and variable', () => {
  const config = configSchema.parse({
    hooks: { all: { url: 'https://example.org', secret_variable: 'NONE' } },
  });
  const ground = { config: config.hooks, folder: '/', environment: {}, clock: systemClock };
  expect(() => createHooks(ground)).toThrow('hooks.all signs with NONE, and that variable is not set');
});
