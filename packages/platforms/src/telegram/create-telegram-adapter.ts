/** Puts one Telegram account together. */
import { GatewayError, type Clock, type CommandMenu, type Logger, type Meter } from '@palimpsest/core';
import { usualFileOverParts } from '../text/with-file.ts';
import { callTimeoutSeconds, createBotApi } from './bot-api.ts';
import { pollSeconds } from './poll-updates.ts';
import { TelegramMedia } from './telegram-media.ts';
import { TelegramListener } from './telegram-listener.ts';
import { TelegramSender } from './telegram-sender.ts';
import { WebhookDoor, type TelegramWebhook } from './webhook-door.ts';
import { webhookSecretProblem } from './webhook-secret.ts';

export interface TelegramOptions {
  token: string;
  /** Null: Telegram's own servers. */
  apiRoot: string | null;
  mode: 'polling' | 'webhook';
  /** Public address ending in /telegram/webhook; needed for mode webhook. */
  webhookUrl: string | null;
  /** 1 to 256 of A-Z a-z 0-9 _ -; needed for mode webhook. */
  webhookSecret: string | null;
  /** Answers of more parts than this go out as their first part and a file; 0 = never; 5 if not set. */
  fileOverParts?: number;
  /** Left out: the menu of commands stays as it is. */
  menu?: CommandMenu;
  logger: Logger;
  meter: Meter;
  clock: Clock;
}

export interface TelegramAdapter {
  listener: TelegramListener;
  sender: TelegramSender;
  media: TelegramMedia;
  /** The route that Telegram calls in webhook mode. */
  webhook: TelegramWebhook | null;
}

/** A client for long polls waits longer than the server holds them. */
const pollTimeoutSeconds = pollSeconds + 10;

/** throws config_invalid when the token or what webhook mode needs is missing or malformed */
export function createTelegramAdapter(options: TelegramOptions): TelegramAdapter {
  const { token, apiRoot, logger, meter, clock } = options;
  const account = { botId: botIdOf(token), clock, logger, meter };
  const webhook = options.mode === 'webhook' ? makeWebhook(options) : null;
  const forums = new Set<string>();
  const timeoutSeconds = webhook ? callTimeoutSeconds : pollTimeoutSeconds;
  const listener = new TelegramListener({
    account,
    api: createBotApi({ token, apiRoot, timeoutSeconds }),
    webhook,
    ownWebhookUrl: options.webhookUrl,
    menu: options.menu,
    noteForum: (chatId) => forums.add(chatId),
  });
  const api = createBotApi({ token, apiRoot, timeoutSeconds: callTimeoutSeconds });
  const sender = new TelegramSender({
    account,
    api,
    isForum: (chatId) => forums.has(chatId),
    fileOverParts: options.fileOverParts ?? usualFileOverParts,
  });
  const media = new TelegramMedia({ botId: account.botId, api, token, apiRoot });
  return { listener, sender, media, webhook: webhook?.door ?? null };
}

function botIdOf(token: string): string {
  const [, id] = /^(\d+):[\w-]+$/.exec(token) ?? [];
  if (id !== undefined) return id;
  throw new GatewayError(
    'config_invalid',
    `TELEGRAM_BOT_TOKEN is no bot token (${token.length} characters; digits, a colon and a secret are needed). Copy it again from @BotFather.`,
  );
}

function makeWebhook({ webhookUrl, webhookSecret }: TelegramOptions) {
  if (webhookUrl === null) {
    throw new GatewayError(
      'config_invalid',
      'platforms.telegram.mode is webhook and webhook_url is not set; set it to the public https address that ends in /telegram/webhook.',
    );
  }
  const problem = webhookSecretProblem(webhookSecret);
  if (problem !== null) throw new GatewayError('config_invalid', problem);
  const secret = webhookSecret!;
  return { door: new WebhookDoor(secret), setting: { url: webhookUrl, secret } };
}
