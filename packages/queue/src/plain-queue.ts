import type { Stoppable } from '@palimpsest/core';

import { consume } from './consume.ts';
import { openBackend, type CreateQueueOptions } from './create-queue.ts';

const name = 'plain';

/** BullMQ as it is: one job an add, no coalescing, no look at the job afterwards. */
export interface PlainQueue {
  add(data: Record<string, unknown>): Promise<void>;
  work(handler: (data: unknown) => Promise<void>, concurrency: number): Promise<Stoppable>;
  close(): Promise<void>;
}

/** What benches compare our queue with. `lockMs` and `stalledMs` are left at the queue's own. */
export async function openPlainQueue(options: CreateQueueOptions): Promise<PlainQueue> {
  const backend = await openBackend(options);
  const queue = await backend.openQueue(name);
  return {
    async add(data) {
      await queue.add(name, data, { removeOnComplete: true, removeOnFail: true });
    },
    work: (handle, concurrency) =>
      consume(backend, name, {
        timing: { concurrency, lockMs: 60_000, stalledMs: 30_000 },
        logger: options.logger,
        handle,
      }),
    async close() {
      await queue.close();
      await backend.close();
    },
  };
}
