/** What exists on the fake Discord: users, guilds, channels and every message ever stored. */
import { compareIds } from './snowflakes.ts';

export interface FakeUser {
  id: string;
  username: string;
  globalName?: string;
  bot?: boolean;
}

export interface FakeGuild {
  id: string;
  name: string;
  ownerId: string;
  members: FakeUser[];
}

/** Channel types in use: 0 text channel of a guild, 1 direct message, 11 public thread. */
export interface FakeChannel {
  id: string;
  type: 0 | 1 | 11;
  name?: string;
  guildId?: string;
  parentId?: string;
  recipient?: FakeUser;
  archived?: boolean;
  locked?: boolean;
}

export interface StoredAttachment {
  id: string;
  filename: string;
  contentType: string;
  bytes: Uint8Array;
}

export interface StoredMessage {
  id: string;
  channelId: string;
  type: number;
  author: FakeUser;
  content: string;
  createdMs: number;
  /** Undefined while nobody changed the text; previews and pins leave it as it is. */
  editedMs?: number;
  nonce?: string | number;
  flags: number;
  tts: boolean;
  pinned: boolean;
  embeds: unknown[];
  components: unknown[];
  attachments: StoredAttachment[];
  /** Users that were really pinged. */
  mentions: FakeUser[];
  mentionRoles: string[];
  mentionEveryone: boolean;
  reference?: { messageId: string; channelId: string; forward: boolean };
  /** Emoji of the bot's own reactions. */
  ownReactions: Set<string>;
  interactionId?: string;
}

/** The state of the fake; rules about who may change it live with the REST routes. */
export class World {
  readonly users = new Map<string, FakeUser>();
  readonly guilds = new Map<string, FakeGuild>();
  readonly channels = new Map<string, FakeChannel>();
  readonly #messages = new Map<string, StoredMessage[]>();

  rememberUser(user: FakeUser): FakeUser {
    this.users.set(user.id, user);
    return user;
  }

  /** The channel, or an error that names the id: a mistake of the test, not of the program under test. */
  channel(id: string): FakeChannel {
    const channel = this.channels.get(id);
    if (channel === undefined) throw new Error(`The fake Discord has no channel ${id}; add it first`);
    return channel;
  }

  directChannelWith(userId: string): FakeChannel | undefined {
    return [...this.channels.values()].find((channel) => channel.recipient?.id === userId);
  }

  channelsOf(guildId: string): FakeChannel[] {
    return [...this.channels.values()].filter((channel) => channel.guildId === guildId);
  }

  /** Messages of a channel, oldest first. */
  history(channelId: string): readonly StoredMessage[] {
    return this.#messages.get(channelId) ?? [];
  }

  message(channelId: string, messageId: string): StoredMessage | undefined {
    return (this.#messages.get(channelId) ?? []).findLast((message) => message.id === messageId);
  }

  /** Put a message into its place by id; an id that exists already is an error of the test. */
  store(message: StoredMessage): void {
    const list = this.#messages.get(message.channelId) ?? [];
    // From the end, because nearly every message is the newest one.
    let place = list.length;
    while (place > 0 && compareIds(list[place - 1]?.id ?? '0', message.id) > 0) place -= 1;
    if (list[place - 1]?.id === message.id) {
      throw new Error(`Message id ${message.id} exists already in channel ${message.channelId}`);
    }
    list.splice(place, 0, message);
    this.#messages.set(message.channelId, list);
  }

  remove(channelId: string, messageId: string): StoredMessage | undefined {
    const list = this.#messages.get(channelId) ?? [];
    const index = list.findLastIndex((message) => message.id === messageId);
    return index === -1 ? undefined : list.splice(index, 1)[0];
  }
}
