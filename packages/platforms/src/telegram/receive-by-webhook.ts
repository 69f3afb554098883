/** Webhook mode: tell Telegram our address, let updates in while we run, look now and then that it is still ours. */
import type { StoreUpdates } from '@palimpsest/core';
import type { Api } from 'grammy';
import type { BotIdentity } from './bot-identity.ts';
import { forumOf } from './forum-of.ts';
import { allowedUpdates, normaliseRaw } from './normalise-update.ts';
import { readFailure } from './read-failure.ts';
import { callUntilDone, clientSignal, type TelegramAccount } from './telegram-account.ts';
import type { WebhookDoor } from './webhook-door.ts';

export interface WebhookSetting {
  url: string;
  secret: string;
}

export interface Receiving {
  account: TelegramAccount;
  api: Api;
  bot: BotIdentity;
  store: StoreUpdates;
  signal: AbortSignal;
  door: WebhookDoor;
  setting: WebhookSetting;
  noteForum(chatId: string): void;
  onAlive(): void;
}

const lookEveryMs = 60_000;

/** Receive until the signal ends. throws platform_unauthorised when the token is refused */
export async function receiveByWebhook(receiving: Receiving): Promise<void> {
  const { account, api, door, setting, signal } = receiving;
  door.open((raw) => take(receiving, raw));
  try {
    // Without drop_pending_updates: what people wrote while we were away is still to be answered.
    const options = { secret_token: setting.secret, allowed_updates: allowedUpdates };
    const call = (ending: ReturnType<typeof clientSignal> | undefined) =>
      api.setWebhook(setting.url, options, ending);
    await callUntilDone(account, 'setWebhook', { call, signal });
    while (!signal.aborted) {
      await look(receiving);
      await account.clock.sleep(lookEveryMs, signal);
    }
  } finally {
    door.open(null);
  }
}

async function take({ bot, store, noteForum, onAlive, account }: Receiving, raw: Uint8Array): Promise<void> {
  try {
    await store([normaliseRaw(raw, bot)]);
  } catch (thrown) {
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    account.logger.warn(
      { botId: account.botId, problem },
      'an update could not be stored; Telegram is asked to send it again',
    );
    throw thrown;
  }
  onAlive();
  const forum = forumOf(JSON.parse(new TextDecoder().decode(raw)));
  if (forum !== null) noteForum(forum);
}

/** Export what waits at Telegram, and say when somebody set another address. */
async function look({ account, api, setting, signal, onAlive }: Receiving): Promise<void> {
  try {
    const info = await api.getWebhookInfo(clientSignal(signal));
    onAlive();
    account.meter.set('gateway_telegram_webhook_pending_updates', info.pending_update_count, {
      bot: account.botId,
    });
    if (info.url !== setting.url) {
      account.meter.count('gateway_telegram_conflicts_total', { bot: account.botId });
      account.logger.warn(
        { botId: account.botId },
        'the webhook of this bot is no longer ours; another program uses the token. Stop it and start the gateway again',
      );
    } else if (info.last_error_message !== undefined) {
      account.logger.warn(
        { botId: account.botId, problem: info.last_error_message, waiting: info.pending_update_count },
        'Telegram could not reach the webhook',
      );
    }
  } catch (thrown) {
    if (!signal.aborted)
      account.logger.warn(
        { botId: account.botId, problem: readFailure(thrown).description },
        'the state of the webhook could not be read',
      );
  }
}
