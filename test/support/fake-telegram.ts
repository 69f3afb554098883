/** A started fake Telegram with a grammY client, as most tests want it. */
import { Api, GrammyError } from 'grammy';
import { silentLogger, silentMeter, systemClock } from '@palimpsest/core';
import { createTelegramAdapter, type TelegramAdapter, type TelegramOptions } from '@palimpsest/platforms';
import { startFakeTelegram, type FakeTelegram, type FakeTelegramOptions } from '@palimpsest/testkit';
import { afterEach, beforeEach, expect } from 'vitest';
import { sharedPath } from './shared.ts';

/** The Bot API schema; tests skip outside CI when it is missing. */
export const botApiSchema = sharedPath('telegram/bot-api.json');

/** A fake, a client for it and the clock both tests and fake look at. */
export interface TelegramWorld extends AsyncDisposable {
  readonly fake: FakeTelegram;
  readonly api: Api;
  /** Move the fake's clock on. */
  pass(seconds: number): void;
}

/** Start a fake whose clock stands at 2026-09-01 12:00 UTC until it is moved. */
export async function openTelegram(options: Partial<FakeTelegramOptions> = {}): Promise<TelegramWorld> {
  let nowMs = Date.UTC(2026, 8, 1, 12);
  const clock = { now: () => new Date(nowMs) };
  const fake = await startFakeTelegram({ schemaPath: botApiSchema.path, clock, ...options });
  return {
    fake,
    api: new Api(fake.token, { apiRoot: fake.apiRoot }),
    pass: (seconds) => {
      nowMs += seconds * 1000;
    },
    [Symbol.asyncDispose]: () => fake.close(),
  };
}

/** A fake of its own for each test, in which Ada has this direct chat. What it had to refuse fails the test. */
export function telegramForEach(chatId: number, take: (opened: FakeTelegram) => void): void {
  let telegram: FakeTelegram;
  beforeEach(async () => {
    telegram = await startFakeTelegram({ schemaPath: botApiSchema.path, liftRateLimits: true });
    telegram.addChat({ id: chatId, type: 'private', first_name: 'Ada' });
    take(telegram);
  });
  afterEach(async () => {
    const { violations } = telegram;
    await telegram.close();
    expect(violations).toEqual([]);
  });
}

/** The adapter against a fake as the service opens it, by polling. */
export function adapterOf(fake: FakeTelegram, options: Partial<TelegramOptions> = {}): TelegramAdapter {
  return createTelegramAdapter({
    token: fake.token,
    apiRoot: fake.apiRoot,
    mode: 'polling',
    webhookUrl: null,
    webhookSecret: null,
    logger: silentLogger,
    meter: silentMeter,
    clock: systemClock,
    ...options,
  });
}

/** The refusal a call ends in, as grammY reports it; throws if the call went well or failed otherwise. */
export async function refusalOf(call: Promise<unknown>): Promise<[code: number, description: string]> {
  const outcome = await call.catch((cause: unknown) => cause);
  if (outcome instanceof GrammyError) return [outcome.error_code, outcome.description];
  throw new Error(`expected a refusal, got ${String(outcome)}`);
}

/** Post to a method without any client in between. */
export function post(
  fake: FakeTelegram,
  method: string,
  body: BodyInit,
  contentType?: string,
): Promise<Response> {
  const headers = new Headers(contentType === undefined ? [] : [['content-type', contentType]]);
  return fetch(`${fake.apiRoot}/bot${fake.token}/${method}`, { method: 'POST', body, headers });
}
