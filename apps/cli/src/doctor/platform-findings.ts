import type { Platform } from '@palimpsest/core';
import type { TelegramProbe } from '@palimpsest/platforms/probe-telegram';
import type { DiscordProbe } from '@palimpsest/platforms/probe-discord';
import type { Settings } from '../settings.ts';
import { counted, fine, problem, warning, type Finding } from './finding.ts';

export type ChatPlatform = Exclude<Platform, 'local'>;

/** A platform that answers later than this counts as away. */
const timeoutMs = 10_000;
/** Updates that wait at Telegram, above which somebody should look. */
const manyPending = 100;
/** What Telegram's webhook met longer ago is over. */
const recentMs = 3_600_000;

/** Who may talk to the bot there, and what the platform itself says of the bot; `ask` false: it is not asked. */
export async function platformFindings(
  settings: Settings,
  platform: ChatPlatform,
  ask: boolean,
): Promise<Finding[]> {
  const token = platform === 'telegram' ? settings.telegramToken : settings.discordToken;
  if (!token) return [fine(platform, 'off: no token')];
  if (!settings.config.platforms[platform].enabled) return [fine(platform, 'off by the config')];
  const access = accessFinding(settings, platform);
  if (!ask) return [access];
  const asked =
    platform === 'telegram' ? await askTelegram(settings, token) : await askDiscord(settings, token);
  return [...asked, access];
}

function accessFinding({ config }: Settings, platform: ChatPlatform): Finding {
  const { allow_all: open, allowed_users: users } = config.platforms[platform];
  if (open)
    return warning(
      platform,
      `allow_all: anyone may talk to the bot at your cost; to close it set platforms.${platform}.allow_all: false and name people in allowed_users, or approve them one by one (access approve)`,
    );
  return fine(
    platform,
    users.length === 0
      ? 'token set; nobody is allowed by the config yet: whoever writes directly gets a code for access approve, unless pairing is off'
      : `token set, ${counted(users.length, 'person', 'people')} allowed by the config`,
  );
}

async function askTelegram({ config }: Settings, token: string): Promise<Finding[]> {
  const { probeTelegram } = await import('@palimpsest/platforms/probe-telegram');
  const section = config.platforms.telegram;
  const probe = await probeTelegram({ token, apiRoot: section.api_root }, timeoutMs);
  return telegramFindings(probe, section, new Date());
}

type TelegramSection = Settings['config']['platforms']['telegram'];

export function telegramFindings(probe: TelegramProbe, section: TelegramSection, now: Date): Finding[] {
  if (probe.kind === 'refused')
    return [
      problem(
        'telegram',
        `Telegram refuses the token (${probe.words}): copy it again from @BotFather into TELEGRAM_BOT_TOKEN`,
      ),
    ];
  if (probe.kind === 'away')
    return [
      problem(
        'telegram',
        `${section.api_root === null ? 'api.telegram.org' : 'platforms.telegram.api_root'} does not answer (${probe.words}): look at the network of this machine, a proxy or that address`,
      ),
    ];
  return [
    fine('telegram', `@${probe.username} answers`),
    privacyFinding(probe.hearsAll, section),
    ...webhookFindings(probe, section, now),
  ];
}

/** With privacy mode a bot hears of a group only what is meant for it; that is enough unless the config wants more. */
function privacyFinding(hearsAll: boolean, section: TelegramSection): Finding {
  if (hearsAll) return fine('telegram', 'privacy mode is off: it hears everything in its groups');
  const wants = [
    ...(section.require_mention ? [] : ['require_mention: false']),
    ...(section.mention_patterns.length > 0 ? ['mention_patterns'] : []),
    ...(section.observe_unmentioned > 0 ? ['observe_unmentioned'] : []),
  ];
  if (wants.length === 0)
    return fine('telegram', 'privacy mode is on: in groups it hears mentions, answers to it and commands');
  return warning(
    'telegram',
    `privacy mode is on, so ${wants.join(', ')} cannot work in groups: /setprivacy at @BotFather, Disable, then take the bot out of each group and add it again`,
  );
}

function webhookFindings(
  { webhook, pending }: Extract<TelegramProbe, { kind: 'answers' }>,
  section: TelegramSection,
  now: Date,
): Finding[] {
  const wanted = section.mode === 'webhook' ? section.webhook_url : null;
  const findings: Finding[] = [];
  if (webhook && wanted === null)
    findings.push(
      warning(
        'telegram',
        `a webhook is set (${hostOf(webhook.url)}) and the config says polling: another program may use this bot; a running gateway takes the webhook away`,
      ),
    );
  if (webhook && wanted !== null && webhook.url !== wanted)
    findings.push(
      warning(
        'telegram',
        `the webhook is set to ${hostOf(webhook.url)}, the config says ${hostOf(wanted)}; a start of the gateway sets it anew`,
      ),
    );
  const last = webhook?.lastProblem;
  if (last && now.getTime() - last.at.getTime() < recentMs)
    findings.push(
      warning(
        'telegram',
        `Telegram could not deliver to the webhook at ${last.at.toISOString()}: ${last.words}; it must reach ${hostOf(webhook?.url ?? '')} over https`,
      ),
    );
  if (pending > manyPending)
    findings.push(
      warning('telegram', `${pending} updates wait at Telegram: look whether a gateway runs (/readyz)`),
    );
  return findings;
}

/** The path of a webhook may be its secret. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an unreadable address';
}

async function askDiscord({ config }: Settings, token: string): Promise<Finding[]> {
  const { probeDiscord } = await import('@palimpsest/platforms/probe-discord');
  const { api_root: apiRoot } = config.platforms.discord;
  return discordFindings(await probeDiscord({ token, apiRoot }, timeoutMs), apiRoot);
}

function discordFindings(probe: DiscordProbe, apiRoot: string | null): Finding[] {
  if (probe.kind === 'refused')
    return [
      problem(
        'discord',
        `Discord refuses the token (${probe.words}): "Bot" → "Reset Token" in the developer portal, and put it into DISCORD_BOT_TOKEN`,
      ),
    ];
  if (probe.kind === 'away')
    return [
      problem(
        'discord',
        `${apiRoot === null ? 'discord.com' : 'platforms.discord.api_root'} does not answer (${probe.words}): look at the network of this machine, a proxy or that address`,
      ),
    ];
  const content = probe.readsContent
    ? fine('discord', 'Message Content Intent is on')
    : warning(
        'discord',
        `Message Content Intent is off: in servers it can read only mentions of it and direct messages; ${probe.contentSwitch}`,
      );
  return [fine('discord', `${probe.username} answers`), content];
}
