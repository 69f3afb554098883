export * from './local/index.ts';
export { parseCommand } from './parse-command.ts';
export {
  createTelegramAdapter,
  type TelegramAdapter,
  type TelegramOptions,
} from './telegram/create-telegram-adapter.ts';
export type { TelegramWebhook, WebhookAnswer, WebhookRequest } from './telegram/webhook-door.ts';
export { webhookSecretProblem } from './telegram/webhook-secret.ts';
export { readFetched } from './media/read-fetched.ts';
export { createDiscordAdapter, type DiscordAdapterOptions } from './discord/create-discord-adapter.ts';
export { normaliseDispatch, storedDispatches, type BotUser } from './discord/normalise-dispatch.ts';
