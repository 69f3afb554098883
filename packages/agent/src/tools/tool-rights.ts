import {
  adminsOf,
  matchesPattern,
  type Config,
  type Platform,
  type ServerTool,
  type Session,
} from '@palimpsest/core';

/** How far a sender is trusted, most first. */
export type Tier = 'admin' | 'user' | 'group';

export type RightsConfig = Pick<Config, 'tools' | 'mcp_servers' | 'platforms'>;

/** Where a turn runs and who spoke in it. */
export interface TurnSenders {
  session: Pick<Session, 'platform' | 'chatKind'>;
  senderIds: readonly string[];
  /** Where they wrote, if it is another platform than the one the session began on (linked accounts). */
  platform?: Platform;
}

/** The tier of the least trusted sender of a turn; a turn that nobody is known to have asked for has the least there is. */
export function tierOfTurn(turn: TurnSenders, config: RightsConfig): Tier {
  const { session, senderIds, platform = session.platform } = turn;
  // The local pages have their own door: loopback, Host and Origin checks, a password elsewhere.
  if (platform === 'local') return 'admin';
  const admins = adminsOf(config, platform);
  const areAdmins = senderIds.length > 0 && senderIds.every((id) => admins.includes(id));
  if (areAdmins) return 'admin';
  return session.chatKind === 'group' ? 'group' : 'user';
}

/** Whether a tier may call a tool: the server must be in the config and give the tool, and a list of the tier name it. */
export function mayUse(tool: ServerTool, tier: Tier, config: RightsConfig): boolean {
  const server = config.mcp_servers[tool.server];
  if (!server?.enabled || !matchesAny(tool.name, server.tools)) return false;
  const ownList = server.allow[tier];
  return ownList === null
    ? matchesAny(tool.schema.name, config.tools.allow[tier])
    : matchesAny(tool.name, ownList);
}

/**
 * Whether a session's prompt should name a tool: somebody who can speak there may call it. Who speaks changes from turn
 * to turn and the prompt must not, so the call itself is judged again.
 */
export function isOffered(
  tool: ServerTool,
  session: Pick<Session, 'platform' | 'chatKind'>,
  config: RightsConfig,
): boolean {
  return tiersIn(session, config).some((tier) => mayUse(tool, tier, config));
}

function tiersIn(
  { platform, chatKind }: Pick<Session, 'platform' | 'chatKind'>,
  config: RightsConfig,
): Tier[] {
  if (platform === 'local') return ['admin'];
  const others: Tier = chatKind === 'group' ? 'group' : 'user';
  return adminsOf(config, platform).length > 0 ? ['admin', others] : [others];
}

function matchesAny(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesPattern(name, pattern));
}
