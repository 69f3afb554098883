/** Our Discord adapter against the fake Discord, with a store in memory and a meter that remembers. */
import {
  silentLogger,
  silentMeter,
  systemClock,
  type IncomingContent,
  type IncomingUpdate,
  type Logger,
  type Meter,
  type OutgoingPart,
  type PlatformListener,
  type StoredUpdate,
  type StoreUpdates,
} from '@palimpsest/core';
import { createMeter } from '@palimpsest/metrics';
import { createDiscordAdapter, type DiscordAdapterOptions } from '@palimpsest/platforms';
import type { FakeDiscordOptions } from '@palimpsest/testkit';
import type { FakeDiscord } from '@palimpsest/testkit';
import { startDiscord } from './discord.ts';

export const applicationId = '1027672206240022830';
/** Shaped like a real token: the first part is the bot's id in base64. */
const botToken = 'MTAyNzY3MjIwNjI0MDAyMjgzMA.fake.token';

/** The adapter against a fake as the service opens it, with nothing to catch up on. */
export function discordAdapterOf(
  fake: FakeDiscord,
  options: Partial<DiscordAdapterOptions> = {},
): ReturnType<typeof createDiscordAdapter> {
  return createDiscordAdapter({
    token: fake.token,
    apiRoot: fake.restApi,
    backfillPoints: async () => [],
    logger: silentLogger,
    meter: silentMeter,
    clock: systemClock,
    ...options,
  });
}

/** Stores in memory: unique by update key, and knows the newest message of each channel. */
class MemoryStore {
  readonly updates: IncomingUpdate[] = [];
  /** How many of the next calls fail. */
  failures = 0;
  calls = 0;
  readonly #waiters = new Set<() => void>();

  readonly store: StoreUpdates = async (updates) => {
    this.calls += 1;
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('the store is away');
    }
    const stored = updates.map((update) => this.#put(update));
    for (const look of this.#waiters) look();
    return stored;
  };

  /** As the database tells it: only channels with a stored message. */
  points() {
    const newest = new Map<string, string>();
    for (const { content } of this.updates) {
      if (content.kind === 'message') newest.set(content.chat.chatId, content.messageId);
    }
    return [...newest].map(([chatId, lastMessageId]) => ({ chatId, threadId: '', lastMessageId }));
  }

  contents<K extends IncomingContent['kind']>(kind: K): Extract<IncomingContent, { kind: K }>[] {
    return this.updates.map((update) => update.content).filter((content) => content.kind === kind) as Extract<
      IncomingContent,
      { kind: K }
    >[];
  }

  /** Texts of the stored messages, oldest first. */
  texts(): string[] {
    return this.contents('message').map((message) => message.text);
  }

  /** Resolves once `fits` is true; looked at after every batch. */
  async until(fits: () => boolean): Promise<void> {
    if (fits()) return;
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!fits()) return;
        this.#waiters.delete(look);
        resolve();
      };
      this.#waiters.add(look);
    });
  }

  #put(update: IncomingUpdate): StoredUpdate {
    const { updateKey } = update;
    if (this.updates.some((known) => known.updateKey === updateKey))
      return { updateKey, result: 'duplicate' };
    this.updates.push(update);
    return { updateKey, result: update.content.kind === 'ignored' ? 'ignored' : 'stored' };
  }
}

function keyOf(name: string, labels: Record<string, string>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
  return `${name}{${pairs.join(',')}}`;
}

/** Counts and gauges by `name{label=value}`, and tells when one of them changes. What the table of metrics does not know throws. */
class MemoryMeter implements Meter {
  readonly counts = new Map<string, number>();
  readonly gauges = new Map<string, number>();
  readonly #strict = createMeter({ strict: true });
  readonly #waiters = new Set<() => void>();

  count(name: string, labels: Record<string, string> = {}, by = 1): void {
    this.#strict.count(name, labels, by);
    const key = keyOf(name, labels);
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
    for (const look of this.#waiters) look();
  }

  observe(...measured: Parameters<Meter['observe']>): void {
    this.#strict.observe(...measured);
  }

  set(name: string, value: number, labels: Record<string, string> = {}): void {
    this.#strict.set(name, value, labels);
    this.gauges.set(keyOf(name, labels), value);
    for (const look of this.#waiters) look();
  }

  add(...measured: Parameters<Meter['add']>): void {
    this.#strict.add(...measured);
  }

  until(key: string, times: number): Promise<void> {
    return this.untilTrue(() => (this.counts.get(key) ?? 0) >= times);
  }

  /** Resolves once `fits` is true; looked at whenever something is measured. */
  async untilTrue(fits: () => boolean): Promise<void> {
    if (fits()) return;
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!fits()) return;
        this.#waiters.delete(look);
        resolve();
      };
      this.#waiters.add(look);
    });
  }

  /** Gateway events of one kind. */
  gateway(event: string, times = 1): Promise<void> {
    return this.until(`gateway_discord_gateway_events_total{event=${event}}`, times);
  }
}

/** Keeps the lines of level error and warn, as text. */
function memoryLogger(): Logger & { lines: string[] } {
  const lines: string[] = [];
  const keep = (fields: object, message: string): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  return { ...silentLogger, lines, warn: keep, error: keep };
}

/** A fake Discord without limits and an adapter for it; nothing is connected yet. */
export async function adapterWorld(
  wish: { fake?: Partial<FakeDiscordOptions>; adapter?: Partial<DiscordAdapterOptions> } = {},
) {
  const discord = await startDiscord({ token: botToken, applicationId, liftRateLimits: true, ...wish.fake });
  const memory = new MemoryStore();
  const meter = new MemoryMeter();
  const logger = memoryLogger();
  const adapter = createDiscordAdapter({
    token: discord.token,
    apiRoot: discord.restApi,
    backfillPoints: async () => memory.points(),
    logger,
    meter,
    clock: systemClock,
    ...wish.adapter,
  });
  const running: Running[] = [];
  return {
    discord,
    memory,
    meter,
    logger,
    ...adapter,
    /** Start the listener; resolves after READY. */
    async listen(): Promise<Running> {
      const before = meter.counts.get('gateway_discord_gateway_events_total{event=ready}') ?? 0;
      const run = startRun(adapter.listener, memory.store);
      running.push(run);
      await Promise.race([meter.gateway('ready', before + 1), run.ended]);
      return run;
    },
    async [Symbol.asyncDispose]() {
      for (const run of running) await run.stop().catch(() => {});
      await adapter.sender.close();
      await discord.close();
      if (discord.violations.length > 0)
        throw new Error(`Discord's rules were broken: ${discord.violations.join('; ')}`);
    },
  };
}

export interface Running {
  /** Settles with the run. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

export function startRun(listener: PlatformListener, store: StoreUpdates): Running {
  const ending = new AbortController();
  const ended = listener.run(store, ending.signal);
  ended.catch(() => {});
  return {
    ended,
    async stop() {
      ending.abort();
      await ended;
    },
  };
}

/** One part to send; `chatId` names its channel. */
export function partFor(chatId: string, wish: Partial<OutgoingPart> = {}): OutgoingPart {
  return { place: { chatId, threadId: '', kind: 'group' }, text: 'hello', nonce: 'nonce-1', ...wish };
}
