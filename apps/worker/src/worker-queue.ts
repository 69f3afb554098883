import type { Queue } from '@palimpsest/core';

export type WorkerQueue = Pick<
  Queue,
  'wake' | 'deliver' | 'fetchMedia' | 'maintain' | 'workTurns' | 'workMaintenance'
>;
