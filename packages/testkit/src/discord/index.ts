/** The strict fake Discord. */
export { startFakeDiscord, type FakeDiscord } from './fake-discord.ts';
export { intentBit } from './intents.ts';
export type { FakeDiscordClock, FakeDiscordOptions } from './options.ts';
export type { PreparedAnswer } from './rest-faults.ts';
export type { JournalEntry } from './rest-server.ts';
export type { SentMessage } from './sent-box.ts';
export type { UserMessage } from './user-actions.ts';
export type { FakeChannel, FakeGuild, FakeUser, StoredMessage } from './world.ts';
