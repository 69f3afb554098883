/** The incoming half: gateway → raw event → update → line → store; after each fresh session the gap is read by REST. */
import {
  GatewayError,
  type AccountRef,
  type Clock,
  type CommandMenu,
  type Logger,
  type Meter,
  type PlatformListener,
  type StoreUpdates,
} from '@palimpsest/core';
import { accountOfToken } from './account-of-token.ts';
import { portalSwitch } from './close-codes.ts';
import type { BackfillPoints } from './backfill.ts';
import type { InvalidRequests } from './invalid-requests.ts';
import { ListeningSession } from './listening-session.ts';

export interface DiscordListenerOptions {
  token: string;
  /** What `rest.api` of discord.js takes; null = Discord itself. */
  apiRoot: string | null;
  /** The newest stored message of each known channel. */
  backfillPoints: BackfillPoints;
  /** Left out: no slash commands are deployed. */
  menu?: CommandMenu;
  logger: Logger;
  meter: Meter;
  clock: Clock;
  /** Refused requests of everything that asks Discord from this address. */
  invalidRequests: InvalidRequests;
  /** How long a connection may be without a session, ms; default two minutes. */
  readyTimeoutMs?: number;
}

/** Longer than discord.js waits itself (hello 60 s, identify 5 s, READY 15 s), so that it gets its chance. */
const defaultReadyTimeoutMs = 120_000;

export class DiscordListener implements PlatformListener {
  readonly account: AccountRef;
  readonly #options: DiscordListenerOptions & { readyTimeoutMs: number };
  #lastAlive: Date | null = null;

  constructor(options: DiscordListenerOptions) {
    this.account = accountOfToken(options.token);
    this.#options = { ...options, readyTimeoutMs: options.readyTimeoutMs ?? defaultReadyTimeoutMs };
  }

  /**
   * Listen until the signal fires. Without the privileged intent for reading messages it goes on with what Discord
   * shows then: direct messages and mentions.
   *
   * throws  platform_unauthorised  token or settings refused (4004, 4010 to 4014): a restart cannot help
   *         platform_unavailable   no session in time, no network: retryable
   */
  async run(store: StoreUpdates, signal: AbortSignal): Promise<void> {
    const end = await this.#listen(store, signal, true);
    if (end === 'stopped') return;
    const todo = portalSwitch(/^\d+$/.test(this.account.id) ? this.account.id : null);
    this.#options.logger.error(
      { account: this.account.id, closeCode: 4014 },
      `Discord does not let the bot read messages (4014); ${todo}, then restart. Until then it sees direct messages and mentions only`,
    );
    if ((await this.#listen(store, signal, false)) === 'stopped') return;
    throw new GatewayError(
      'platform_unauthorised',
      `Discord closed the connection with 4014 although no privileged intent was asked for; ${todo}`,
    );
  }

  lastAlive(): Date | null {
    return this.#lastAlive;
  }

  async #listen(
    store: StoreUpdates,
    signal: AbortSignal,
    messageContent: boolean,
  ): Promise<'stopped' | 'content_refused'> {
    const session = new ListeningSession({
      ...this.#options,
      account: this.account,
      messageContent,
      store,
      onAlive: (at) => (this.#lastAlive = at),
    });
    return session.run(signal);
  }
}
