/** A strict fake of the Telegram Bot API server. */
export type { ErrorParameters, Refusal } from './api-error.ts';
export type { ChatStatus } from './chat-book.ts';
export { FakeTelegram, type ButtonPress, type NewChat } from './fake-telegram.ts';
export type { HeldAnswer } from './faults.ts';
export type { CallOutcome, JournalEntry } from './journal.ts';
export type { CommandScope } from './methods/commands.ts';
export type { BotApiSchema } from './schema.ts';
export type { SentListener, SentMessage } from './sent-messages.ts';
export type { BotCommand, CallbackAnswer, Draft, ShownAction } from './server-state.ts';
export { startFakeTelegram, type FakeTelegramOptions } from './start-fake-telegram.ts';
export type { Chat, Entity, FakeTelegramClock, Message, Update, User } from './types.ts';
export type { UploadedFile } from './uploaded-file.ts';
export type { Sender, UserMessage } from './user-message.ts';
