import type { Adapter } from '@palimpsest/gateway';
import type { AccountRef, ChatPlace, Logger, Meter, Sender, Store } from '@palimpsest/core';

export type ReplayPlatform = 'telegram' | 'discord' | 'local';

/** The other side of a replay: a strict server of the platform, seen as the person in the chat. */
export interface Counterpart {
  account: AccountRef;
  place: ChatPlace;
  person: Sender;
  adapter: Adapter;
  /** The person writes; the message lies at the platform when this resolves. */
  say(text: string, index: number): Promise<void>;
  /** Everything the bot has sent to the chat, in order of appearance. */
  heard(): readonly string[];
  /** Called whenever the bot has sent something. */
  onHeard(listener: () => void): void;
  /** What the server found wrong with our requests; must stay empty. */
  violations(): readonly string[];
  close(): Promise<void>;
}

export interface CounterpartOptions {
  /** Folder with telegram/bot-api.json and discord/openapi.json. */
  schemas: string;
  liftRateLimits: boolean;
  store: Store;
  logger: Logger;
  meter: Meter;
}
