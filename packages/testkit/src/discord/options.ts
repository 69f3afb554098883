/** What a test may set when it starts the fake Discord. */
import { privilegedBits } from './intents.ts';

/** Where the fake reads the time: milliseconds of the Unix clock. */
export interface FakeDiscordClock {
  now(): number;
}

/** Options of `startFakeDiscord`. */
export interface FakeDiscordOptions {
  /** File path of Discord's OpenAPI document; request bodies are checked against it. */
  schemaPath: string;
  /** The only bot token that is accepted, without the `Bot ` prefix. */
  token?: string;
  applicationId?: string;
  /** Bit set of the privileged intents switched on in the developer portal; default all three. */
  intentsGranted?: number;
  clock?: FakeDiscordClock;
  /** Switch all limits off; the headers stay and promise plenty. */
  liftRateLimits?: boolean;
  /** What HELLO asks for, in milliseconds; Discord's own value is 41,250. */
  heartbeatIntervalMs?: number;
  /** IDENTIFYs allowed per 5 s. */
  maxConcurrency?: number;
  /** IDENTIFYs left today, as GET /gateway/bot tells it. */
  identifiesLeft?: number;
  /** How long a repeated nonce returns the first message; Discord says "a few minutes". */
  nonceWindowMs?: number;
  /** How long a lost session can be resumed. */
  resumeWindowMs?: number;
  /** 401, 403 and 429 answers in 10 minutes after which the address is banned. */
  invalidRequestLimit?: number;
}

/** The options with every default filled in. */
export type FakeDiscordSettings = Required<FakeDiscordOptions>;

/** Fill in the defaults: Discord's published numbers where it publishes them. */
export function settleOptions(options: FakeDiscordOptions): FakeDiscordSettings {
  return {
    token: 'fake.discord.token',
    applicationId: '1027672206240022830',
    intentsGranted: privilegedBits,
    clock: { now: () => Date.now() },
    liftRateLimits: false,
    heartbeatIntervalMs: 41_250,
    maxConcurrency: 1,
    identifiesLeft: 1000,
    nonceWindowMs: 5 * 60_000,
    resumeWindowMs: 5 * 60_000,
    invalidRequestLimit: 10_000,
    ...options,
  };
}
