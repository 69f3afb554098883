/** 409 for getUpdates: someone else polls, or a webhook is set. */
import type { Polling } from './polling.ts';
import { clientSignal } from './telegram-account.ts';

/** After a dead connection Telegram may keep the place taken for about 50 s. */
const conflictWaitMs = 65_000;

/**
 * Count, say what to do, and wait over a minute. A webhook that is our own from a time in webhook mode is taken
 * down at once, without dropping anything; one of somebody else stays.
 */
export async function waitOutConflict(polling: Polling, description: string): Promise<void> {
  const { account, signal } = polling;
  account.meter.count('gateway_telegram_conflicts_total', { bot: account.botId });
  const isWebhook = description.includes('webhook is active');
  const url = isWebhook ? await readWebhookUrl(polling) : '';
  if (url !== '' && url === polling.ownWebhookUrl && (await removeWebhook(polling))) return;
  account.logger.warn(
    { botId: account.botId, waitMs: conflictWaitMs, problem: description },
    isWebhook
      ? `a webhook to ${hostOf(url)} is set for this bot; remove it with deleteWebhook, or set platforms.telegram.mode to webhook`
      : 'another program polls with this bot token; stop it, or get a new token from @BotFather if you do not know it',
  );
  await account.clock.sleep(conflictWaitMs, signal);
}

async function readWebhookUrl({ api, signal }: Polling): Promise<string> {
  try {
    return (await api.getWebhookInfo(clientSignal(signal))).url ?? '';
  } catch {
    return '';
  }
}

async function removeWebhook({ account, api, signal }: Polling): Promise<boolean> {
  try {
    await api.deleteWebhook({ drop_pending_updates: false }, clientSignal(signal));
    account.logger.info(
      { botId: account.botId },
      'our own webhook was taken down, because the mode is polling now',
    );
    return true;
  } catch {
    return false;
  }
}

/** A webhook's path may be a secret. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an unknown address';
}
