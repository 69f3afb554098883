import type { Store } from '@palimpsest/core';
import type { TurnDeps } from '@palimpsest/turn';
import type { WorkerQueue } from './worker-queue.ts';

/** What the worker needs beside the main path; it holds model keys and no bot token. */
export interface WorkerDeps extends TurnDeps {
  store: TurnDeps['store'] & Pick<Store, 'sweep' | 'leases' | 'lcm'>;
  queue: WorkerQueue;
}
