/** What people do on the fake Discord: write, edit, delete, pin, use commands. */
import { addMention } from './bot-messages.ts';
import type { Interaction } from './interaction-desk.ts';
import { namedIn } from './mentions.ts';
import { showMessageEvent } from './message-shape.ts';
import type { FakeParts } from './rest-call.ts';
import { showChannel, showMember, showUser, type WireObject } from './wire-shape.ts';
import type { FakeChannel, FakeUser, StoredMessage } from './world.ts';

/** A message somebody writes. */
export interface UserMessage {
  channelId: string;
  author: FakeUser;
  content: string;
  /** Message this one answers; its author is mentioned unless `pingsReplied` is false. */
  replyTo?: string;
  pingsReplied?: boolean;
  /** A message that is passed on; `content` is empty then. */
  forwards?: { channelId: string; messageId: string };
  /** Own id, for recorded messages; default the next one. */
  id?: string;
  /** Ids of users to mention besides those the text names. */
  mentions?: readonly string[];
  attachments?: readonly { filename: string; contentType: string; bytes: Uint8Array }[];
}

export class UserActions {
  readonly #parts: FakeParts;

  constructor(parts: FakeParts) {
    this.#parts = parts;
  }

  /** Store the message in the channel's history and tell every session that wants it. Returns the message. */
  sends(wish: UserMessage): StoredMessage {
    const { world, gateway } = this.#parts;
    const channel = world.channel(wish.channelId);
    this.#admit(channel, wish.author);
    const message = this.#build(wish);
    channel.archived = false;
    world.store(message);
    gateway.dispatch('MESSAGE_CREATE', showMessageEvent(this.#parts, message));
    return message;
  }

  edits(wish: { channelId: string; messageId: string; content: string }): void {
    const message = this.#message(wish.channelId, wish.messageId);
    message.content = wish.content;
    message.editedMs = this.#parts.settings.clock.now();
    this.#updated(message);
  }

  /** A link preview arrives late: MESSAGE_UPDATE although nobody edited. */
  unfoldsLink(channelId: string, messageId: string): void {
    const message = this.#message(channelId, messageId);
    message.embeds = [{ type: 'link', url: 'https://example.com/', title: 'Example' }];
    this.#updated(message);
  }

  /** Pinning is a MESSAGE_UPDATE too, with the old edited_timestamp. */
  pins(channelId: string, messageId: string): void {
    const message = this.#message(channelId, messageId);
    message.pinned = true;
    this.#updated(message);
  }

  deletes(channelId: string, messageId: string): void {
    const { world, gateway } = this.#parts;
    const channel = world.channel(channelId);
    if (world.remove(channelId, messageId) === undefined)
      throw new Error(`No message ${messageId} in channel ${channelId} to delete`);
    gateway.dispatch('MESSAGE_DELETE', { id: messageId, channel_id: channelId, ...guildOf(channel) });
  }

  /** Use a deployed command; returns the interaction, whose token the bot gets in INTERACTION_CREATE. */
  invokes(wish: {
    channelId: string;
    user: FakeUser;
    name: string;
    options?: readonly WireObject[];
    /** Language of the person's client; `en-US` unless a test says another. */
    locale?: string;
  }): Interaction {
    const { commands, desk, gateway, nextId } = this.#parts;
    const channel = this.#parts.world.channel(wish.channelId);
    this.#admit(channel, wish.user);
    const all = [...(commands.get('global') ?? []), ...(commands.get(channel.guildId ?? '') ?? [])];
    const command = all.find((known) => known['name'] === wish.name);
    if (command === undefined)
      throw new Error(
        `No command "${wish.name}" is deployed; deployed are ${all.map((known) => known['name']).join(', ') || 'none'}`,
      );
    const id = nextId();
    const interaction = desk.open({ id, token: `interaction-token-${id}`, kind: 2, channelId: channel.id });
    const data = {
      id: command['id'],
      name: wish.name,
      type: command['type'],
      ...(wish.options === undefined ? {} : { options: wish.options }),
    };
    gateway.dispatch('INTERACTION_CREATE', this.#showInteraction(interaction, wish, data));
    return interaction;
  }

  #showInteraction(
    interaction: Interaction,
    { user, locale = 'en-US' }: { user: FakeUser; locale?: string },
    data: WireObject,
  ): WireObject {
    const channel = this.#parts.world.channel(interaction.channelId);
    const rights = '2248473465835073';
    const inGuild = channel.guildId !== undefined;
    return {
      id: interaction.id,
      application_id: this.#parts.settings.applicationId,
      type: interaction.kind,
      token: interaction.token,
      version: 1,
      data,
      channel_id: channel.id,
      channel: showChannel(this.#parts.world, channel),
      ...(inGuild
        ? {
            guild_id: channel.guildId,
            guild: { id: channel.guildId, locale: 'en-US', features: [] },
            guild_locale: 'en-US',
            member: { ...showMember(), user: showUser(user), permissions: rights },
          }
        : { user: showUser(user) }),
      locale,
      app_permissions: rights,
      entitlements: [],
      authorizing_integration_owners: { 0: channel.guildId ?? '0' },
      context: inGuild ? 0 : 1,
      attachment_size_limit: 10_485_760,
    };
  }

  #build(wish: UserMessage): StoredMessage {
    const { world, settings, nextId } = this.#parts;
    const pings = namedIn(wish.content, world);
    const target = wish.replyTo === undefined ? undefined : world.message(wish.channelId, wish.replyTo);
    for (const id of wish.mentions ?? []) addMention(pings.mentions, this.#user(id));
    if (target !== undefined && wish.pingsReplied !== false) addMention(pings.mentions, target.author);
    return {
      id: wish.id ?? nextId(),
      channelId: wish.channelId,
      type: wish.replyTo === undefined ? 0 : 19,
      author: wish.author,
      content: wish.content,
      createdMs: settings.clock.now(),
      nonce: nextId(),
      flags: 0,
      tts: false,
      pinned: false,
      embeds: [],
      components: [],
      attachments: (wish.attachments ?? []).map((attachment) => ({ id: nextId(), ...attachment })),
      reference: referenceOf(wish),
      ownReactions: new Set(),
      ...pings,
    };
  }

  /** Nobody else speaks in a direct channel; who writes in a guild is a member of it. */
  #admit(channel: FakeChannel, user: FakeUser): void {
    if (channel.recipient !== undefined && channel.recipient.id !== user.id) {
      throw new Error(`User ${user.id} cannot write in the direct channel of user ${channel.recipient.id}`);
    }
    this.#parts.world.rememberUser(user);
    const members = this.#parts.world.guilds.get(channel.guildId ?? '')?.members;
    if (members?.some((member) => member.id === user.id) === false) members.push(user);
  }

  #user(id: string): FakeUser {
    const user = this.#parts.world.users.get(id);
    if (user === undefined) throw new Error(`The fake Discord knows no user ${id} to mention`);
    return user;
  }

  #message(channelId: string, messageId: string): StoredMessage {
    const message = this.#parts.world.message(channelId, messageId);
    if (message === undefined) throw new Error(`No message ${messageId} in channel ${channelId}`);
    return message;
  }

  #updated(message: StoredMessage): void {
    this.#parts.gateway.dispatch('MESSAGE_UPDATE', showMessageEvent(this.#parts, message));
  }
}

function referenceOf({ forwards, replyTo, channelId }: UserMessage): StoredMessage['reference'] {
  if (forwards) return { ...forwards, forward: true };
  return replyTo === undefined ? undefined : { messageId: replyTo, channelId, forward: false };
}

function guildOf(channel: FakeChannel): WireObject {
  return channel.guildId === undefined ? {} : { guild_id: channel.guildId };
}
