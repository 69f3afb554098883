import type { MediaFetcher, PlatformListener, PlatformSender } from '@palimpsest/core';
import { DiscordListener, type DiscordListenerOptions } from './discord-listener.ts';
import { DiscordMedia } from './discord-media.ts';
import { DiscordSender, type DiscordSenderOptions } from './discord-sender.ts';
import { InvalidRequests } from './invalid-requests.ts';

export type DiscordAdapterOptions = Omit<DiscordListenerOptions & DiscordSenderOptions, 'invalidRequests'> & {
  /** Refused requests in 10 minutes after which nothing is asked; 5,000 if not set. */
  mostInvalidRequests?: number;
};

/** Both halves for one bot token; nothing is asked of Discord until they are used. */
export function createDiscordAdapter(options: DiscordAdapterOptions): {
  listener: PlatformListener;
  sender: PlatformSender;
  media: MediaFetcher;
} {
  const invalidRequests = new InvalidRequests({ ...options, most: options.mostInvalidRequests });
  return {
    listener: new DiscordListener({ ...options, invalidRequests }),
    sender: new DiscordSender({ ...options, invalidRequests }),
    media: new DiscordMedia({ ...options, invalidRequests }),
  };
}
