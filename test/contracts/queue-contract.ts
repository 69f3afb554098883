import type { MaintenanceTask, Queue } from '@palimpsest/core';
import { expect, test, vi } from 'vitest';

/** One queue world: names of its own, so that tests do not meet. */
export interface QueueWorld extends AsyncDisposable {
  /** A queue of this world; each call is another process's view of the same jobs. */
  open(options?: { lockMs?: number; stalledMs?: number }): Promise<Queue>;
  /** Everything of this world's jobs is gone, as after FLUSHALL. */
  wipe(): Promise<void>;
  /** The job that stands for a session is finished, but its deduplication key stays, as after an outage. */
  leaveStrayKey(sessionId: string): Promise<void>;
  /** Another process takes the lock of every running turn. */
  loseLocks(): Promise<void>;
}

/** What every backend of the queue port must do. */
export function queueContract(name: string, makeWorld: () => Promise<QueueWorld>): void {
  test(`${name}: wake-ups of a waiting session become one run`, async () => {
    await using world = await makeWorld();
    const queue = await world.open();
    const runs = recorder();

    for (let i = 0; i < 5; i++) await queue.wake('session:1');
    await queue.wake('session:2');
    await queue.workTurns(async (sessionId) => runs.add(sessionId), 1);
    await runs.reach(2);
    await becomesQuiet(queue);

    expect(runs.seen).toEqual(['session:1', 'session:2']);
  });

  test(`${name}: A41 a session woken many times while it runs runs exactly once more`, async () => {
    await using world = await makeWorld();
    const queue = await world.open();
    const runs = recorder();
    const gate = Promise.withResolvers<void>();
    await queue.workTurns(async (sessionId) => {
      runs.add(sessionId);
      await gate.promise;
    }, 5);

    await queue.wake('a');
    await runs.reach(1);
    for (let i = 0; i < 4; i++) await queue.wake('a');
    gate.resolve();
    await runs.reach(2);
    await becomesQuiet(queue);

    expect(runs.seen).toEqual(['a', 'a']);
  });

  test(`${name}: A41 a handler that fails is not run again by itself, the next wake-up runs`, async () => {
    await using world = await makeWorld();
    const queue = await world.open();
    const runs = recorder();
    await queue.workTurns(async (sessionId) => {
      runs.add(sessionId);
      if (runs.seen.length === 1) throw new Error('broken');
    }, 1);

    await queue.wake('a');
    await runs.reach(1);
    await becomesQuiet(queue);
    await queue.wake('a');
    await runs.reach(2);

    expect(runs.seen).toEqual(['a', 'a']);
  });

  test(`${name}: after everything was wiped the next wake-up runs`, async () => {
    await using world = await makeWorld();
    const queue = await world.open();
    const runs = recorder();
    await queue.workTurns(async (sessionId) => runs.add(sessionId), 1);
    await queue.wake('a');
    await runs.reach(1);

    await world.wipe();
    await queue.wake('a');
    await runs.reach(2);

    expect(runs.seen).toEqual(['a', 'a']);
  });

  test(`${name}: a flood of wake-ups at once loses none`, async () => {
    await using world = await makeWorld();
    const queue = await world.open();
    const runs = recorder();
    await queue.workTurns(async (sessionId) => runs.add(sessionId), 20);
    const sessions = Array.from({ length: 300 }, (_, index) => `s${index}`);

    await Promise.all(sessions.map((sessionId) => queue.wake(sessionId)));
    await runs.reach(300);

    expect(new Set(runs.seen).size).toBe(300);
  });

  test(`${name}: a stray deduplication key does not silence a session`, async () => {
    await using world = await makeWorld();
    const queue = await world.open();
    const runs = recorder();
    await queue.workTurns(async (sessionId) => runs.add(sessionId), 1);
    await queue.wake('a');
    await runs.reach(1);
    await becomesQuiet(queue);

    await world.leaveStrayKey('a');
    await queue.wake('a');
    await runs.reach(2);

    expect(runs.seen).toEqual(['a', 'a']);
  });

  test(`${name}: stop waits for the running turn and takes no new one`, async () => {
    await using world = await makeWorld();
    const queue = await world.open();
    const runs = recorder();
    const gate = Promise.withResolvers<void>();
    let signalSeen: AbortSignal | undefined;
    const worker = await queue.workTurns(async (sessionId, signal) => {
      runs.add(sessionId);
      signalSeen = signal;
      await gate.promise;
      runs.add(`${sessionId} ended`);
    }, 1);
    await queue.wake('a');
    await runs.reach(1);

    const stopped = worker.stop(5000);
    await queue.wake('b');
    gate.resolve();
    await stopped;

    expect(runs.seen).toEqual(['a', 'a ended']);
    expect(signalSeen?.aborted).toBe(false);
  });

  test(`${name}: at the deadline stop fires the signal and gives up waiting`, async () => {
    await using world = await makeWorld();
    const queue = await world.open();
    const aborted = Promise.withResolvers<void>();
    const runs = recorder();
    const worker = await queue.workTurns(async (sessionId, signal) => {
      signal.addEventListener('abort', () => aborted.resolve());
      runs.add(sessionId);
      await new Promise(() => {}); // never ends
    }, 1);
    await queue.wake('a');
    await runs.reach(1);

    const startedAt = performance.now();
    await worker.stop(100);
    await aborted.promise;

    expect(performance.now() - startedAt).toBeLessThan(4000);
  });

  test(`${name}: the signal fires when the lock of a turn is lost`, async () => {
    await using world = await makeWorld();
    const queue = await world.open({ lockMs: 400, stalledMs: 60_000 });
    const runs = recorder();
    const aborted = Promise.withResolvers<void>();
    await queue.workTurns(async (sessionId, signal) => {
      runs.add(sessionId);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      aborted.resolve();
    }, 1);
    await queue.wake('a');
    await runs.reach(1);

    await world.loseLocks();
    await aborted.promise;

    expect(runs.seen).toEqual(['a']);
  });

  test(`${name}: deliveries of one account do not wait for those of another`, async () => {
    await using world = await makeWorld();
    const queue = await world.open();
    const runs = recorder();
    await queue.workDeliveries('telegram-1', () => new Promise(() => {}));
    await queue.workDeliveries('discord-2', async () => runs.add('discord-2'));

    await queue.deliver('telegram-1');
    await queue.deliver('discord-2');
    await runs.reach(1);

    expect(runs.seen).toEqual(['discord-2']);
  });

  test(`${name}: an urgent task comes first and is one with the waiting one of its session`, async () => {
    await using world = await makeWorld();
    const queue = await world.open();
    const tasks: MaintenanceTask[] = [];
    const runs = recorder();

    await queue.maintain({ kind: 'prepare', sessionId: 'a', urgent: false });
    await queue.maintain({ kind: 'prepare', sessionId: 'b', urgent: false });
    await queue.maintain({ kind: 'prepare', sessionId: 'b', urgent: true });
    await queue.workMaintenance(async (task) => {
      tasks.push(task);
      runs.add(task.sessionId);
    }, 1);
    await runs.reach(2);
    await becomesQuiet(queue);

    expect(tasks).toEqual([
      { kind: 'prepare', sessionId: 'b', urgent: true },
      { kind: 'prepare', sessionId: 'a', urgent: false },
    ]);
  });

  test(`${name}: an idle task and a preparation of one session are two jobs`, async () => {
    await using world = await makeWorld();
    const queue = await world.open();
    const kinds: string[] = [];
    const runs = recorder();

    await queue.maintain({ kind: 'idle', sessionId: 'a', urgent: false });
    await queue.maintain({ kind: 'idle', sessionId: 'a', urgent: false });
    await queue.maintain({ kind: 'prepare', sessionId: 'a', urgent: true });
    await queue.workMaintenance(async (task) => {
      kinds.push(task.kind);
      runs.add(task.sessionId);
    }, 1);
    await runs.reach(2);
    await becomesQuiet(queue);

    expect(kinds).toEqual(['prepare', 'idle']);
  });

  test(`${name}: counts tell how many jobs wait where`, async () => {
    await using world = await makeWorld();
    const queue = await world.open();

    await queue.wake('a');
    await queue.wake('b');
    await queue.deliver('telegram-1');

    expect(await queue.counts()).toMatchObject({
      'turns.waiting': 2,
      'turns.active': 0,
      'maintenance.waiting': 0,
      'deliveries-telegram-1.waiting': 1,
    });
  });

  test(`${name}: two processes share the work and a wake-up from either side is one`, async () => {
    await using world = await makeWorld();
    const [here, there] = [await world.open(), await world.open()];
    const runs = recorder();

    await Promise.all([here.wake('a'), there.wake('a'), here.wake('b'), there.wake('b')]);
    await here.workTurns(async (sessionId) => runs.add(sessionId), 1);
    await there.workTurns(async (sessionId) => runs.add(sessionId), 1);
    await runs.reach(2);
    await becomesQuiet(here);

    expect(runs.seen.toSorted()).toEqual(['a', 'b']);
  });

  test(`${name}: ping answers while the server is there`, async () => {
    await using world = await makeWorld();
    const queue = await world.open();

    await expect(queue.ping()).resolves.toBeUndefined();
  });
}

/** What handlers saw, with a way to wait for it. */
export function recorder(): { seen: string[]; add(item: string): void; reach(count: number): Promise<void> } {
  const seen: string[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  return {
    seen,
    add(item) {
      seen.push(item);
      for (const waiter of waiting) if (seen.length >= waiter.count) waiter.resolve();
    },
    reach(count) {
      if (seen.length >= count) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count, resolve });
      return promise;
    },
  };
}

/** Until nothing waits or runs any more. */
async function becomesQuiet(queue: Queue): Promise<void> {
  await vi.waitFor(
    async () => {
      const counts = Object.entries(await queue.counts());
      expect(
        counts.filter(([name, count]) => /\.(waiting|active|prioritized|delayed)$/.test(name) && count > 0),
      ).toEqual([]);
    },
    { timeout: 10_000, interval: 10 },
  );
}
