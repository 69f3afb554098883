/** Gateway intents: which events a session asked for, and which of them need the portal's consent. */

/** The intents this fake knows by name; values are bits of the IDENTIFY field. */
export const intentBit = {
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  guildPresences: 1 << 8,
  guildMessages: 1 << 9,
  guildMessageReactions: 1 << 10,
  guildMessageTyping: 1 << 11,
  directMessages: 1 << 12,
  directMessageReactions: 1 << 13,
  directMessageTyping: 1 << 14,
  messageContent: 1 << 15,
} as const;

/** Intents that must be switched on in the developer portal, else close code 4014. */
export const privilegedBits = intentBit.guildMembers | intentBit.guildPresences | intentBit.messageContent;

// Bits 0-16, 20, 21, 24 and 25 exist (documentation of August 2026); any other gives 4013.
const knownBits = 0x1ffff | (1 << 20) | (1 << 21) | (1 << 24) | (1 << 25);

interface EventNeed {
  inGuild: number;
  /** 0: this event does not exist outside guilds. */
  inDirectMessage: number;
}

const guildOnly = (bit: number): EventNeed => ({ inGuild: bit, inDirectMessage: 0 });
const messages: EventNeed = { inGuild: intentBit.guildMessages, inDirectMessage: intentBit.directMessages };
const reactions: EventNeed = {
  inGuild: intentBit.guildMessageReactions,
  inDirectMessage: intentBit.directMessageReactions,
};
const typing: EventNeed = {
  inGuild: intentBit.guildMessageTyping,
  inDirectMessage: intentBit.directMessageTyping,
};

const eventNeeds: Readonly<Record<string, EventNeed>> = {
  GUILD_CREATE: guildOnly(intentBit.guilds),
  GUILD_UPDATE: guildOnly(intentBit.guilds),
  GUILD_DELETE: guildOnly(intentBit.guilds),
  GUILD_ROLE_CREATE: guildOnly(intentBit.guilds),
  GUILD_ROLE_UPDATE: guildOnly(intentBit.guilds),
  GUILD_ROLE_DELETE: guildOnly(intentBit.guilds),
  CHANNEL_CREATE: guildOnly(intentBit.guilds),
  CHANNEL_UPDATE: guildOnly(intentBit.guilds),
  CHANNEL_DELETE: guildOnly(intentBit.guilds),
  THREAD_CREATE: guildOnly(intentBit.guilds),
  THREAD_UPDATE: guildOnly(intentBit.guilds),
  THREAD_DELETE: guildOnly(intentBit.guilds),
  CHANNEL_PINS_UPDATE: { inGuild: intentBit.guilds, inDirectMessage: intentBit.directMessages },
  GUILD_MEMBER_ADD: guildOnly(intentBit.guildMembers),
  GUILD_MEMBER_UPDATE: guildOnly(intentBit.guildMembers),
  GUILD_MEMBER_REMOVE: guildOnly(intentBit.guildMembers),
  PRESENCE_UPDATE: guildOnly(intentBit.guildPresences),
  MESSAGE_CREATE: messages,
  MESSAGE_UPDATE: messages,
  MESSAGE_DELETE: messages,
  MESSAGE_DELETE_BULK: guildOnly(intentBit.guildMessages),
  MESSAGE_REACTION_ADD: reactions,
  MESSAGE_REACTION_REMOVE: reactions,
  MESSAGE_REACTION_REMOVE_ALL: reactions,
  TYPING_START: typing,
};

/** True when a session with these intents is sent the event; events without a known need go to all. */
export function wantsEvent(intents: number, event: string, data: Readonly<Record<string, unknown>>): boolean {
  const need = eventNeeds[event];
  if (need === undefined) return true;
  // Guild events of the GUILD_ family carry the guild's id as `id`.
  const inGuild = need.inDirectMessage === 0 || data['guild_id'] !== undefined;
  return (intents & (inGuild ? need.inGuild : need.inDirectMessage)) !== 0;
}

/** The close code IDENTIFY earns by its intents, or undefined when they are allowed. */
export function refuseIntents(intents: number, granted: number): 4013 | 4014 | undefined {
  if (!Number.isInteger(intents) || intents < 0 || (intents & ~knownBits) !== 0) return 4013;
  if ((intents & privilegedBits & ~granted) !== 0) return 4014;
  return undefined;
}
