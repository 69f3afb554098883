export { fillGraphs, joinSessions } from './database/fill-graphs.ts';
export { fillSessions, readServerVersion, type SessionsToFill } from './database/fill-sessions.ts';
export { queryDatabase } from './database/query-database.ts';
export { createScratchDatabase, type ScratchDatabase } from './database/scratch-database.ts';
export { intentBit, startFakeDiscord } from './discord/index.ts';
export type {
  FakeDiscord,
  FakeDiscordOptions,
  FakeUser as DiscordUser,
  SentMessage as DiscordSentMessage,
} from './discord/index.ts';
export * from './models/index.ts';
export { startFakeTelegram } from './telegram/index.ts';
export type { FakeTelegram, FakeTelegramOptions } from './telegram/index.ts';
export {
  startFakeTranscriber,
  type FakeTranscriber,
  type HeardRecording,
} from './transcription/start-fake-transcriber.ts';
