export type { WorkerDeps } from './deps.ts';
export { startWorker, type Worker } from './start-worker.ts';
