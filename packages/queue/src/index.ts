export { createQueue } from './create-queue.ts';
export type { CreateQueueOptions } from './create-queue.ts';
export { openPlainQueue } from './plain-queue.ts';
export type { PlainQueue } from './plain-queue.ts';
export { inspectRedis, type RedisSettings } from './inspect-redis.ts';
