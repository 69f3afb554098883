export { createQueue } from './create-queue.ts';
export type { CreateQueueOptions } from './create-queue.ts';
