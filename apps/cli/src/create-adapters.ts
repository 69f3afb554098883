import type { Adapter } from '@palimpsest/gateway';
import { adminsOf, isForUsers, systemClock, type Logger, type Meter } from '@palimpsest/core';
import type { TelegramWebhook } from '@palimpsest/platforms';
import type { CommandMenu, OperatorStore, Store } from '@palimpsest/core';
import { menuCommands } from '@palimpsest/turn';
import type { Service } from './service.ts';
import type { Settings } from './settings.ts';

export interface PlatformAdapters {
  adapters: readonly Adapter[];
  /** Set in webhook mode: the route that Telegram calls. */
  webhook: TelegramWebhook | null;
}

/**
 * Adapters of the platforms whose tokens are there and whose config has them enabled, where the gateway runs. The
 * libraries of the others are not even loaded: that is a large part of the time and memory of a start.
 */
export async function createAdapters(
  settings: Settings,
  services: readonly Service[],
  deps: { logger: Logger; meter: Meter; store: Pick<Store, 'intake' | 'operators'> },
): Promise<PlatformAdapters> {
  if (!services.includes('gateway')) return { adapters: [], webhook: null };
  const { telegram, discord } = settings.config.platforms;
  const adapters: Adapter[] = [];
  let webhook: TelegramWebhook | null = null;
  if (settings.telegramToken && telegram.enabled) {
    const { createTelegramAdapter } = await import('@palimpsest/platforms/telegram');
    const made = createTelegramAdapter({
      token: settings.telegramToken,
      apiRoot: telegram.api_root,
      mode: telegram.mode,
      webhookUrl: telegram.webhook_url,
      webhookSecret: settings.telegramWebhookSecret,
      menu: menuFor(settings, 'telegram', deps.store.operators),
      fileOverParts: telegram.file_over_parts,
      logger: deps.logger,
      meter: deps.meter,
      clock: systemClock,
    });
    adapters.push(made);
    webhook = made.webhook;
  }
  if (settings.discordToken && discord.enabled) {
    const { createDiscordAdapter } = await import('@palimpsest/platforms/discord');
    adapters.push(
      createDiscordAdapter({
        token: settings.discordToken,
        apiRoot: discord.api_root,
        menu: menuFor(settings, 'discord', deps.store.operators),
        fileOverParts: discord.file_over_parts,
        backfillPoints: (account) => deps.store.intake.backfillPoints(account),
        logger: deps.logger,
        meter: deps.meter,
        clock: systemClock,
      }),
    );
  }
  return { adapters, webhook };
}

/** Each installation remembers in its database what a platform was last told. */
export function menuFor(
  { config }: Pick<Settings, 'config'>,
  platform: 'telegram' | 'discord',
  operators: Pick<OperatorStore, 'lastTold' | 'tellOnce'>,
): CommandMenu {
  return {
    commands: menuCommands((name) => isForUsers(config, platform, name)),
    admins: adminsOf(config, platform),
    lastTold: (name) => operators.lastTold(name),
    remember: async (name, value) => void (await operators.tellOnce(name, value)),
  };
}
