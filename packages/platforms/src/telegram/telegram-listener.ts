/** The incoming half: getMe → getUpdates loop or webhook → normalise → store → only then confirmed. */
import type { AccountRef, CommandMenu, PlatformListener, StoreUpdates } from '@palimpsest/core';
import type { Api } from 'grammy';
import type { BotIdentity } from './bot-identity.ts';
import { pollUpdates } from './poll-updates.ts';
import { publishMenu } from './publish-menu.ts';
import { receiveByWebhook, type WebhookSetting } from './receive-by-webhook.ts';
import { callUntilDone, type TelegramAccount } from './telegram-account.ts';
import type { WebhookDoor } from './webhook-door.ts';

export interface TelegramListenerOptions {
  account: TelegramAccount;
  api: Api;
  /** Null: polling. */
  webhook: { door: WebhookDoor; setting: WebhookSetting } | null;
  /** The address a webhook of ours has or had; only this one is taken down to poll. */
  ownWebhookUrl: string | null;
  /** Left out: the menu of commands stays as it is. */
  menu?: CommandMenu;
  /** Told of chats that are forums. */
  noteForum(chatId: string): void;
}

export class TelegramListener implements PlatformListener {
  readonly account: AccountRef;
  readonly #options: TelegramListenerOptions;
  #bot: BotIdentity | null = null;
  #lastAlive: Date | null = null;

  constructor(options: TelegramListenerOptions) {
    this.account = { platform: 'telegram', id: options.account.botId };
    this.#options = options;
  }

  async run(store: StoreUpdates, signal: AbortSignal): Promise<void> {
    const { account, api, webhook, ownWebhookUrl, noteForum } = this.#options;
    this.#bot ??= await this.#identify(signal);
    if (this.#bot === null) return;
    if (this.#options.menu) void publishMenu({ account, api, menu: this.#options.menu, signal });
    const common = { account, api, bot: this.#bot, store, signal, noteForum, onAlive: () => this.#alive() };
    if (webhook) await receiveByWebhook({ ...common, ...webhook });
    else await pollUpdates({ ...common, ownWebhookUrl });
  }

  lastAlive(): Date | null {
    return this.#lastAlive;
  }

  #alive(): void {
    this.#lastAlive = this.#options.account.clock.now();
  }

  async #identify(signal: AbortSignal): Promise<BotIdentity | null> {
    const { account, api } = this.#options;
    const me = await callUntilDone(account, 'getMe', { call: (ending) => api.getMe(ending), signal });
    return me && { id: String(me.id), username: me.username };
  }
}
