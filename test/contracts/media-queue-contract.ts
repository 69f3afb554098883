import { expect, test } from 'vitest';

import { type QueueWorld, recorder } from './queue-contract.ts';

/** Wake-ups for files: one an account, coalesced like all others. */
export function mediaQueueContract(name: string, makeWorld: () => Promise<QueueWorld>): void {
  test(`${name}: files of an account are fetched once for wake-ups that wait, and once more for one that comes meanwhile`, async () => {
    await using world = await makeWorld();
    const queue = await world.open();
    const runs = recorder();
    const first = Promise.withResolvers<void>();
    for (const account of ['telegram-1', 'telegram-1', 'discord-2']) await queue.fetchMedia(account);
    await queue.workMedia('telegram-1', async () => {
      runs.add('telegram-1');
      await first.promise;
    });
    await runs.reach(1);

    await queue.fetchMedia('telegram-1');
    await queue.fetchMedia('telegram-1');
    first.resolve();
    await runs.reach(2);

    expect(runs.seen).toEqual(['telegram-1', 'telegram-1']);
    expect((await queue.counts())['media-discord-2.waiting']).toBe(1);
  });
}
