/** Sending limits: about 1 a second in a chat, 20 a minute in a group, 30 a second in all. */
import { tooManyRequests } from './api-error.ts';
import type { Chat, FakeTelegramClock } from './types.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
// Telegram lets short bursts pass; the size is not published.
const CHAT_BURST = 4;
const GROUP_PER_MINUTE = 20;
const TOTAL_PER_SECOND = 30;

/** Counts sends and edits, which share the accounting. */
export class FloodGate {
  readonly #clock: FakeTelegramClock;
  readonly #limited: boolean;
  readonly #closedUntilMs = new Map<number, number>();
  readonly #chatTimes = new Map<number, number[]>();
  #allTimes: number[] = [];

  /** limited = false lifts the counted limits; gates closed by the test still hold. */
  constructor(clock: FakeTelegramClock, limited: boolean) {
    this.#clock = clock;
    this.#limited = limited;
  }

  /** Refuse everything to one chat for some seconds, whatever the counts say. */
  close(chatId: number, seconds: number): void {
    this.#closedUntilMs.set(chatId, this.#clock.now().getTime() + seconds * SECOND);
  }

  /** Count one send or edit; throws 429 with retry_after and then counts nothing. */
  pass(chat: Chat): void {
    const now = this.#clock.now().getTime();
    const closedFor = (this.#closedUntilMs.get(chat.id) ?? 0) - now;
    if (closedFor > 0) throw tooManyRequests(Math.ceil(closedFor / SECOND));
    if (!this.#limited) return;
    const times = (this.#chatTimes.get(chat.id) ?? []).filter((time) => time > now - MINUTE);
    this.#allTimes = this.#allTimes.filter((time) => time > now - SECOND);
    const waitMs = Math.max(
      waitForSlot(this.#allTimes, { count: TOTAL_PER_SECOND, windowMs: SECOND }, now),
      waitForSlot(times, { count: CHAT_BURST, windowMs: CHAT_BURST * SECOND }, now),
      chat.type === 'private' ? 0 : waitForSlot(times, { count: GROUP_PER_MINUTE, windowMs: MINUTE }, now),
    );
    if (waitMs > 0) throw tooManyRequests(Math.ceil(waitMs / SECOND));
    this.#chatTimes.set(chat.id, [...times, now]);
    this.#allTimes.push(now);
  }
}

/** Milliseconds until fewer of the times than `limit.count` lie within its window; 0 if that is so now. */
function waitForSlot(
  times: readonly number[],
  limit: { count: number; windowMs: number },
  now: number,
): number {
  const deciding = times.at(-limit.count);
  return deciding === undefined ? 0 : Math.max(0, deciding + limit.windowMs - now);
}
