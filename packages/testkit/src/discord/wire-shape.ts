/** How users, channels and guilds look on the wire. Keys are left out, not nulled, where Discord leaves them out. */
import { intentBit } from './intents.ts';
import type { FakeChannel, FakeGuild, FakeUser, World } from './world.ts';

export type WireObject = Record<string, unknown>;

/** Discord writes times with microseconds and an offset: 2020-03-21T16:18:32.019000+00:00. */
export function wireTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000+00:00');
}

const joinedAt = '2020-03-30T15:24:39.828000+00:00';

export function showUser(user: FakeUser): WireObject {
  return {
    id: user.id,
    username: user.username,
    discriminator: '0',
    global_name: user.globalName ?? null,
    avatar: null,
    public_flags: 0,
    ...(user.bot === true ? { bot: true } : {}),
  };
}

/** The member part of a message event: without `user`, which the author already is. */
export function showMember(): WireObject {
  return {
    roles: [],
    nick: null,
    avatar: null,
    joined_at: joinedAt,
    premium_since: null,
    deaf: false,
    mute: false,
    flags: 0,
  };
}

export function showChannel(world: World, channel: FakeChannel): WireObject {
  const lastMessageId = world.history(channel.id).at(-1)?.id ?? null;
  const base = { id: channel.id, type: channel.type, last_message_id: lastMessageId, flags: 0 };
  if (channel.recipient !== undefined) return { ...base, recipients: [showUser(channel.recipient)] };
  const inGuild = {
    ...base,
    guild_id: channel.guildId,
    name: channel.name,
    parent_id: channel.parentId ?? null,
    rate_limit_per_user: 0,
  };
  if (channel.type !== 11)
    return { ...inGuild, position: 0, permission_overwrites: [], nsfw: false, topic: null };
  return {
    ...inGuild,
    owner_id: world.guilds.get(channel.guildId ?? '')?.ownerId,
    message_count: world.history(channel.id).length,
    member_count: 1,
    thread_metadata: {
      archived: channel.archived === true,
      locked: channel.locked === true,
      auto_archive_duration: 1440,
      archive_timestamp: joinedAt,
    },
  };
}

// Administrator is not included: 0x8 would hide a client that checks single rights.
const everyoneRights = '104324673';

/** GUILD_CREATE; without the member intent only the bot itself is among the members. */
export function showGuild(
  world: World,
  guild: FakeGuild,
  seen: { intents: number; botId: string },
): WireObject {
  const wantsMembers = (seen.intents & intentBit.guildMembers) !== 0;
  const members = guild.members.filter((member) => wantsMembers || member.id === seen.botId);
  const channels = world.channelsOf(guild.id);
  return {
    id: guild.id,
    unavailable: false,
    name: guild.name,
    icon: null,
    splash: null,
    discovery_splash: null,
    description: null,
    banner: null,
    owner_id: guild.ownerId,
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: 0,
    default_message_notifications: 1,
    explicit_content_filter: 0,
    roles: [everyoneRole(guild.id)],
    emojis: [],
    stickers: [],
    features: [],
    mfa_level: 0,
    application_id: null,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    public_updates_channel_id: null,
    vanity_url_code: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    preferred_locale: 'en-US',
    nsfw_level: 0,
    premium_progress_bar_enabled: false,
    joined_at: joinedAt,
    large: false,
    member_count: guild.members.length,
    members: members.map((member) => ({ ...showMember(), user: showUser(member) })),
    channels: channels.filter((channel) => channel.type === 0).map((channel) => showChannel(world, channel)),
    threads: channels
      .filter((channel) => channel.type === 11 && channel.archived !== true)
      .map((channel) => showChannel(world, channel)),
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

function everyoneRole(guildId: string): WireObject {
  return {
    id: guildId,
    name: '@everyone',
    permissions: everyoneRights,
    position: 0,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    managed: false,
    mentionable: false,
    flags: 0,
  };
}
