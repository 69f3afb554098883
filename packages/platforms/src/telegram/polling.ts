/** What the getUpdates loop works with. */
import type { StoreUpdates } from '@palimpsest/core';
import type { Api } from 'grammy';
import type { BotIdentity } from './bot-identity.ts';
import type { TelegramAccount } from './telegram-account.ts';

export interface Polling {
  account: TelegramAccount;
  api: Api;
  bot: BotIdentity;
  store: StoreUpdates;
  signal: AbortSignal;
  ownWebhookUrl: string | null;
  noteForum(chatId: string): void;
  onAlive(): void;
}
