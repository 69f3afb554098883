/** What all halves of one Telegram account share. */
import type { Clock, Logger, Meter } from '@palimpsest/core';
import { GatewayError } from '@palimpsest/core';
import type { Api } from 'grammy';
import { isTokenRefused, readFailure, type BotApiFailure } from './read-failure.ts';

export interface TelegramAccount {
  /** The bot's numeric id: the first half of its token. */
  botId: string;
  clock: Clock;
  logger: Logger;
  meter: Meter;
}

/** Waits between tries: 0.5 s, doubled up to 10 s. */
export function backOffMs(failures: number): number {
  return Math.min(10_000, 500 * 2 ** Math.max(0, failures - 1));
}

export function tokenRefused(botId: string): GatewayError {
  return new GatewayError(
    'platform_unauthorised',
    `Telegram refuses the token of bot ${botId}: it is wrong or was revoked. Get a new one from @BotFather and put it into TELEGRAM_BOT_TOKEN.`,
  );
}

/**
 * Call until it works: waits and goes on after everything but a refused token and the end of `signal` (then null).
 * throws platform_unauthorised
 */
export async function callUntilDone<T>(
  account: TelegramAccount,
  what: string,
  { call, signal }: { call(signal: Parameters<Api['getMe']>[0]): Promise<T>; signal: AbortSignal },
): Promise<T | null> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      return await call(clientSignal(signal));
    } catch (thrown) {
      if (signal.aborted) return null;
      const failure = readFailure(thrown);
      if (isTokenRefused(failure)) throw tokenRefused(account.botId);
      const waitMs = waitAfter(failure, failures);
      account.logger.warn(
        { botId: account.botId, waitMs, problem: failure.description },
        `${what} failed; trying again`,
      );
      await account.clock.sleep(waitMs, signal);
    }
  }
  return null;
}

/** What the server asks for, else the usual back-off. */
export function waitAfter(failure: BotApiFailure, failures: number): number {
  const asked = failure.kind === 'refused' ? failure.retryAfterMs : null;
  return asked ?? backOffMs(failures);
}

/** grammY's types name the AbortSignal of a polyfill; it uses only what every AbortSignal has. */
export function clientSignal(signal: AbortSignal): NonNullable<Parameters<Api['getMe']>[0]> {
  return signal as unknown as NonNullable<Parameters<Api['getMe']>[0]>;
}
