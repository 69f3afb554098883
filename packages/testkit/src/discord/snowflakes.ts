/** Discord ids: 64-bit numbers in decimal, whose upper bits are the time. */
import type { FakeDiscordClock } from './options.ts';

/** Discord's epoch, 2015-01-01T00:00:00Z, in milliseconds of the Unix clock. */
const discordEpochMs = 1_420_070_400_000;

/** A source of ids: each is newer than all before it, even when the clock stands still or goes back. */
export type NextId = () => string;

/** Make a source of ids that carry the clock's time, as `Snowflake` arithmetic in clients expects. */
export function makeSnowflakes(clock: FakeDiscordClock): NextId {
  let last = 0n;
  return () => {
    const fromClock = BigInt(Math.max(0, Math.trunc(clock.now() - discordEpochMs))) << 22n;
    last = fromClock > last ? fromClock : last + 1n;
    return last.toString();
  };
}

/** True when the text is a number Discord takes as an id. */
export function isSnowflake(text: string): boolean {
  return /^(0|[1-9]\d{0,19})$/.test(text);
}

/** Order two ids by age: negative when `left` is older. */
export function compareIds(left: string, right: string): number {
  const difference = BigInt(left) - BigInt(right);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}
