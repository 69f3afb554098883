/** Keeps this address from being banned: 10,000 refused requests in 10 minutes are what Discord puts up with. */
import type { Clock, Logger, Meter } from '@palimpsest/core';
import { RESTEvents, type REST } from 'discord.js';

const windowMs = 10 * 60_000;
/** Half of what is allowed: other programs at the same address are counted with us. */
const usualMostInvalid = 5_000;
const warnEvery = 500;

const invalidStatus: ReadonlySet<number> = new Set([401, 403, 429]);

export interface InvalidRequestsOptions {
  clock: Clock;
  logger: Logger;
  meter: Meter;
  /** So many in 10 minutes, and nothing is asked until the oldest of them are forgotten. */
  most?: number;
}

/** Counts over all clients that it watches, since Discord counts by address. */
export class InvalidRequests {
  readonly #options: InvalidRequestsOptions;
  /** When each was refused, ms, oldest first; at most as many as are allowed. */
  #refusedAt: number[] = [];
  #total = 0;

  constructor(options: InvalidRequestsOptions) {
    this.#options = options;
  }

  /** Limits that are shared with other bots are not our fault. */
  watch(rest: REST): void {
    rest.on(RESTEvents.Response, (_request, { status, headers }) => {
      if (invalidStatus.has(status) && headers.get('x-ratelimit-scope') !== 'shared') this.#note(status);
    });
  }

  /** How long nothing may be asked, ms; 0: go on. */
  restMs(): number {
    const { most = usualMostInvalid } = this.#options;
    if (this.#refusedAt.length < most) return 0;
    const leftMs = this.#refusedAt[0]! + windowMs - this.#options.clock.now().getTime();
    // Never longer than the window, whatever became of the clock meanwhile.
    return Math.min(windowMs, Math.max(0, leftMs));
  }

  #note(status: number): void {
    const { clock, logger, meter, most = usualMostInvalid } = this.#options;
    meter.count('gateway_discord_invalid_requests_total', { status: String(status) });
    this.#refusedAt.push(clock.now().getTime());
    if (this.#refusedAt.length > most) this.#refusedAt.shift();
    this.#total += 1;
    if (this.#total % warnEvery === 0)
      logger.warn(
        { count: this.#total },
        'many refused Discord requests; 10,000 in 10 minutes ban this address',
      );
    if (this.restMs() > 0)
      logger.error(
        { waitMs: this.restMs(), most },
        'too many refused Discord requests; nothing is sent until some of them are 10 minutes old. Look for a channel without rights or a wrong token',
      );
  }
}
