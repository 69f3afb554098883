export { createLogger } from './create-logger.ts';
export { readRecording, type RecordedLine, type Recording } from './replay/recording.ts';
export { reportLines, type ReplayReport } from './replay/report.ts';
export { runReplay, type ReplayOptions } from './replay/run-replay.ts';
export { readSettings, type Environment, type Settings } from './settings.ts';
export { bundledEngines } from './installed-engines.ts';
export { createMainModel, createWorkerDeps, ownerName, type Parts } from './start-parts.ts';
