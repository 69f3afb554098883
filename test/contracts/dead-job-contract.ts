import { expect, test } from 'vitest';
import { recorder, type QueueWorld } from './queue-contract.ts';

/** A job whose process is gone stands for its session until its lock ends, and may do so for long. */
export function deadJobContract(name: string, makeWorld: () => Promise<QueueWorld>): void {
  test(`${name}: a wake-up past the running job runs beside it`, async () => {
    await using world = await makeWorld();
    const queue = await world.open();
    const runs = recorder();
    const never = Promise.withResolvers<void>();
    await queue.workTurns(async (sessionId) => {
      runs.add(sessionId);
      if (runs.seen.length === 1) await never.promise;
    }, 2);
    await queue.wake('a');
    await runs.reach(1);

    await queue.wake('a');
    await queue.wake('a', { pastRunning: true });
    await runs.reach(2);
    await queue.wake('a', { pastRunning: true });
    await runs.reach(3);
    never.resolve();

    expect(runs.seen.slice(0, 3)).toEqual(['a', 'a', 'a']);
  });

  test(`${name}: past the running one or not, of those that wait there is one`, async () => {
    await using world = await makeWorld();
    const queue = await world.open();
    const runs = recorder();
    for (let time = 0; time < 4; time++) await queue.wake('a', { pastRunning: true });
    await queue.wake('b');

    await queue.workTurns(async (sessionId) => runs.add(sessionId), 1);
    await runs.reach(2);

    expect(runs.seen).toEqual(['a', 'b']);
  });
}
