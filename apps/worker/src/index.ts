export type { WorkerDeps } from './deps.ts';
export { startWorker, type Worker } from './start-worker.ts';
export { entryOf, findPlugIns, isPlugInName } from './plug-in-engines/find-plug-ins.ts';
export { loadPlugIns, type PlugIns } from './plug-in-engines/load-plug-ins.ts';
export type { PlugInHost } from './plug-in-engines/plug-in-host.ts';
export { createHooks, type Hook, type HookGround } from './hooks/create-hooks.ts';
export { runHooks, tellDue, type HooksDeps } from './hooks/run-hooks.ts';
