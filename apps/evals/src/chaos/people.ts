/** Who says what when: decided by the seed alone, as the faults are. */
import { between, seededRandom } from './random.ts';

const telegramChats = 8;
const discordChats = 3;
/** Every second message or so is long. */
const longShare = 0.4;
const meanPauseMs = 9_000;

/** A direct chat; `index` counts within its platform. */
export interface Chat {
  readonly platform: 'telegram' | 'discord';
  readonly index: number;
}

export interface PlannedWord {
  readonly atMs: number;
  readonly chat: Chat;
  /** q1, q2 … of its chat. */
  readonly mark: string;
  readonly isLong: boolean;
}

/** The chats of every run. */
export const chats: readonly Chat[] = [
  ...Array.from({ length: telegramChats }, (_, index) => ({ platform: 'telegram', index }) as const),
  ...Array.from({ length: discordChats }, (_, index) => ({ platform: 'discord', index }) as const),
];

/** Everything that is said, in order of time; some of it in bursts. */
export function planTalk(seed: number, runMs: number): readonly PlannedWord[] {
  const random = seededRandom(seed + 1_000_003);
  const words: PlannedWord[] = [];
  for (const chat of chats) {
    let atMs = between(random, 0, 3_000);
    for (let number = 1; atMs < runMs; number += 1) {
      const isLong = chat.platform === 'telegram' && random() < longShare;
      words.push({ atMs, chat, mark: `q${number}`, isLong });
      atMs += random() < 0.3 ? between(random, 0, 300) : between(random, 500, 2 * meanPauseMs);
    }
  }
  return words.sort((one, other) => one.atMs - other.atMs);
}

/** Its id on the platform: of a Telegram chat, or of a Discord user. */
export function idOf({ platform, index }: Chat): string {
  return platform === 'telegram' ? String(7_000 + index) : `102611584724479${3200 + index}`;
}
