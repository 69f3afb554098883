import type { PlatformListener, PlatformSender } from '@palimpsest/core';
import { DiscordListener, type DiscordListenerOptions } from './discord-listener.ts';
import { DiscordSender, type DiscordSenderOptions } from './discord-sender.ts';

export type DiscordAdapterOptions = DiscordListenerOptions & DiscordSenderOptions;

/** Both halves for one bot token; nothing is asked of Discord until they are used. */
export function createDiscordAdapter(options: DiscordAdapterOptions): {
  listener: PlatformListener;
  sender: PlatformSender;
} {
  return { listener: new DiscordListener(options), sender: new DiscordSender(options) };
}
