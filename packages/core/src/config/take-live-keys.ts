import type { Config } from './schema.ts';

const ofPlatform = [
  'allow_all',
  'allowed_users',
  'group_allowed_users',
  'allowed_chats',
  'allow_admin_from',
  'user_allowed_commands',
  'pairing',
  'require_mention',
  'mention_patterns',
  'ignored_threads',
  'allow_bots',
  'observe_unmentioned',
  'chats',
];

/** Keys that hold as soon as they are written: who may do what, what is meant for the bot in groups, and who it is. */
const liveKeys: readonly string[] = [
  'agent.instructions',
  'commands.admin_only',
  'tools.admins.telegram',
  'tools.admins.discord',
  'tools.allow.admin',
  'tools.allow.user',
  'tools.allow.group',
  ...['telegram', 'discord'].flatMap((platform) => ofPlatform.map((key) => `platforms.${platform}.${key}`)),
];

/** Names of keys whose value changed. */
export interface ChangedKeys {
  /** They hold from now on. */
  taken: readonly string[];
  /** They hold from the next start on. */
  waiting: readonly string[];
}

/**
 * Put the live keys of a config that was read anew into the one in use, which every part of the service looks at; what
 * else changed waits for the next start.
 */
export function takeLiveKeys(used: Config, next: Config): ChangedKeys {
  const taken = liveKeys.filter((key) => !isSame(valueAt(used, key), valueAt(next, key)));
  for (const key of taken) setValue(used, key, valueAt(next, key));
  return { taken, waiting: changedKeys(used, next) };
}

function valueAt(config: Config, key: string): unknown {
  return key.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], config);
}

function setValue(config: Config, key: string, value: unknown): void {
  const last = key.lastIndexOf('.');
  const section = valueAt(config, key.slice(0, last)) as Record<string, unknown>;
  section[key.slice(last + 1)] = value;
}

/** Sections are looked into, lists and single values are one key. */
function changedKeys(used: unknown, next: unknown, path = ''): string[] {
  if (isSame(used, next)) return [];
  if (!isSection(used) || !isSection(next)) return [path];
  const names = new Set([...Object.keys(used), ...Object.keys(next)]);
  return [...names].flatMap((name) =>
    changedKeys(used[name], next[name], path === '' ? name : `${path}.${name}`),
  );
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
