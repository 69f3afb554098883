export { openReader } from './open-claimed.ts';
export { commandList } from './commands/command-list.ts';
export { compactSession, type CompactionDone, type CompactionWish } from './compact-session.ts';
export type { SessionModels, TurnDeps } from './deps.ts';
export { drainSession, type DrainEnd } from './drain-session.ts';
export { priceWords } from './preview-price.ts';
export { previewCompaction, type CompactionPreview } from './preview-compaction.ts';
export { runMaintenance } from './run-maintenance.ts';
export { noticeMark } from './texts.ts';
