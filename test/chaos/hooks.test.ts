/** Crashes of the worker between the request of a webhook and what is noted of it. */
import { describe, expect, test } from 'vitest';
import { gate } from '../support/chaos/scripts.ts';
import { botApiSchema, openChaos, until, type ChaosWorld } from '../support/chaos/world.ts';
import { startHookReceiver, type Heard } from '../support/hook-receiver.ts';

const [ada, ben] = [502, 503];
const hookOf = (url: string) => ({ all: { url, secret_variable: 'HOOK_SECRET', allow_private: true } });

describe.skipIf(botApiSchema.missing)(
  'a crash of the worker while it tells a hook',
  { concurrent: true },
  () => {
    test('heard, and no answer yet: told again with its id, before the later events of its session, and none is lost', async ({
      onTestFailed,
    }) => {
      const hanging = gate();
      let isHeld = true;
      await using receiver = await startHookReceiver(async ({ body }) => {
        if (isHeld && body.type === 'agent:start') await hanging.pass();
        return 204;
      });
      await using world = await openChaos({ onTestFailed, queue: 'redis', hooks: hookOf(receiver.url) });
      const [, worker] = await Promise.all([world.start('gateway'), world.start('worker')]);
      world.says(ada, 'm1');
      await hanging.reached;
      world.says(ben, 'm2');
      await world.answeredOnce(ben, ['m2']);
      await world.answeredOnce(ada, ['m1']);

      await worker.kill();
      isHeld = false;
      await world.endLeases();
      await world.start('worker');
      await untilAllTold(world);

      const events = await eventsOf(world);
      expect(events.filter(({ type }) => type === 'agent:start')).toHaveLength(2);
      for (const sessionId of new Set(events.map((event) => event.sessionId)))
        expect(firstTimes(receiver.heard, sessionId)).toEqual(
          events.filter((event) => event.sessionId === sessionId).map(({ id }) => id),
        );
      const repeated = receiver.heard.filter(
        ({ id }, at) => receiver.heard.findIndex((one) => one.id === id) < at,
      );
      expect(new Set(repeated.map(({ body }) => body.type))).toEqual(new Set(['agent:start']));
      expect(receiver.heard.every(({ isSigned }) => isSigned)).toBe(true);
    });

    test('answered, and not noted: told once more, and then no more', async ({ onTestFailed }) => {
      await using receiver = await startHookReceiver();
      await using world = await openChaos({ onTestFailed, queue: 'redis', hooks: hookOf(receiver.url) });
      const [, worker] = await Promise.all([world.start('gateway'), world.start('worker')]);
      await using held = await world.hold({
        table: 'hook_deliveries',
        event: 'UPDATE',
        when: `NEW.state = 'done'`,
      });
      world.says(ada, 'm1');
      await held.reached();
      await world.answeredOnce(ada, ['m1']);
      const [first] = receiver.heard;

      await worker.kill();
      await held.release();
      await world.endLeases();
      await world.start('worker');
      await untilAllTold(world);

      const ids = (await eventsOf(world)).map(({ id }) => id);
      expect(first!.body.type).toBe('session:start');
      expect(receiver.heard.map(({ id }) => id)).toEqual([first!.id, ...ids]);
    });
  },
);

const untilAllTold = (world: ChaosWorld) =>
  until(async () =>
    expect(await world.sql(`SELECT DISTINCT state FROM hook_deliveries`)).toEqual([{ state: 'done' }]),
  );

async function eventsOf(world: ChaosWorld) {
  const rows = await world.sql(`SELECT 'evt_' || id AS id, type, session_id FROM events ORDER BY id`);
  return rows.map(({ id, type, session_id: sessionId }) => ({ id, type, sessionId }));
}

/** Ids of what was heard of a session, each where it was heard first. */
function firstTimes(heard: readonly Heard[], sessionId: unknown): string[] {
  const ofSession = heard.filter(({ body }) => body.data.sessionId === sessionId);
  return [...new Set(ofSession.map(({ id }) => id))];
}
