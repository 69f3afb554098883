/** What the config says about access, in the words of the authoriser and of the gate of groups: one place for every program. */
import type { AccessLists } from './access.ts';
import type { Platform } from './chat.ts';
import type { Config } from './config/schema.ts';
import { commandsForEverybody } from './config/commands-schema.ts';
import type { GroupRules } from './group-gate.ts';

const open: AccessLists = { allowAll: true, allowedUsers: [], allowedChats: [] };

/** The lists of one platform. The local pages have a door of their own. */
export function accessListsOf(config: Pick<Config, 'platforms'>, platform: Platform): AccessLists {
  if (platform === 'local') return open;
  const section = config.platforms[platform];
  return {
    allowAll: section.allow_all,
    allowedUsers: section.allowed_users,
    groupUsers: section.group_allowed_users,
    allowedChats: section.allowed_chats,
    chats: section.chats,
  };
}

/** What is meant for the bot in the groups of one platform. */
export function groupRulesOf(config: Pick<Config, 'platforms'>, platform: Platform): GroupRules {
  if (platform === 'local') return { requireMention: false };
  const section = config.platforms[platform];
  return {
    requireMention: section.require_mention,
    mentionPatterns: section.mention_patterns.map((pattern) => new RegExp(pattern, 'iu')),
    ignoredThreads: section.ignored_threads,
    allowBots: section.allow_bots,
    keepUnaddressed: section.observe_unmentioned,
    chats: section.chats,
  };
}

/** Whether a stranger who writes directly is offered a code: never where an allow-list says who is meant. */
export function offersPairing(config: Pick<Config, 'platforms'>, platform: Platform): boolean {
  if (platform === 'local') return false;
  const { pairing, allowed_users: listed, allow_all: isOpen } = config.platforms[platform];
  if (isOpen || pairing === 'off') return false;
  return pairing === 'on' || listed.length === 0;
}

/** Ids of the platform's admins. */
export function adminsOf(config: Pick<Config, 'platforms' | 'tools'>, platform: Platform): readonly string[] {
  if (platform === 'local') return [];
  return [...config.tools.admins[platform], ...config.platforms[platform].allow_admin_from];
}

/** Whether people of the platform who are no admins may run a command. */
export function isForUsers(
  config: Pick<Config, 'platforms' | 'commands'>,
  platform: Platform,
  name: string,
): boolean {
  if (commandsForEverybody.has(name)) return true;
  if (config.commands.admin_only.includes(name)) return false;
  const named = platform === 'local' ? null : config.platforms[platform].user_allowed_commands;
  return named === null || named.includes(name);
}
