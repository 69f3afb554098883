/** The Telegram adapter against the fake server, with a store in memory and a clock in the test's hand. */
import { expect, vi } from 'vitest';
import type { IncomingUpdate, Meter, StoredUpdate, StoreUpdates } from '@palimpsest/core';
import { createMeter } from '@palimpsest/metrics';
import { createTelegramAdapter, type TelegramAdapter, type TelegramOptions } from '@palimpsest/platforms';
import type { FakeTelegramOptions } from '@palimpsest/testkit';
import { openTelegram, type TelegramWorld } from './fake-telegram.ts';
import { HandClock } from './hand-clock.ts';

export interface Logged {
  level: string;
  message: string;
  fields: object;
}

export interface AdapterWorld extends TelegramWorld {
  adapter: TelegramAdapter;
  clock: HandClock;
  store: MemoryStore;
  logs: Logged[];
  /** Counters and gauges by name and bot. */
  figures: Map<string, number>;
  /** Start the listener; ended when the world closes. */
  start(): Run;
}

export interface Run {
  /** Settles as run() does. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

export async function openAdapter(
  options: { adapter?: Partial<TelegramOptions>; fake?: Partial<FakeTelegramOptions> } = {},
): Promise<AdapterWorld> {
  const world = await openTelegram({ liftRateLimits: true, ...options.fake });
  const clock = new HandClock(Date.UTC(2026, 8, 1, 12));
  const store = new MemoryStore();
  const logs: Logged[] = [];
  const figures = new Map<string, number>();
  const runs: Run[] = [];
  const adapter = createTelegramAdapter({
    token: world.fake.token,
    apiRoot: world.fake.apiRoot,
    mode: 'polling',
    webhookUrl: null,
    webhookSecret: null,
    logger: loggerInto(logs),
    meter: meterInto(figures),
    clock,
    ...options.adapter,
  });
  function start(): Run {
    const ending = new AbortController();
    const ended = adapter.listener.run(store.take, ending.signal);
    ended.catch(() => {});
    const stop = async (): Promise<void> => {
      ending.abort();
      await ended.catch(() => {});
    };
    runs.push({ ended, stop });
    return { ended, stop };
  }
  return {
    ...world,
    adapter,
    clock,
    store,
    logs,
    figures,
    start,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(runs.map((run) => run.stop()));
      await world[Symbol.asyncDispose]();
      // Whatever a test is about: nothing we send may be against the schema.
      expect(world.fake.violations).toEqual([]);
    },
  };
}

/** What the table of metrics does not know throws. */
function meterInto(figures: Map<string, number>): Meter {
  const strict = createMeter({ strict: true });
  return {
    count(name, labels, by = 1) {
      strict.count(name, labels, by);
      const key = `${name} ${labels?.bot}`;
      figures.set(key, (figures.get(key) ?? 0) + by);
    },
    set(name, value, labels) {
      strict.set(name, value, labels);
      figures.set(`${name} ${labels?.bot}`, value);
    },
    observe: (...measured) => strict.observe(...measured),
    add: (...measured) => strict.add(...measured),
  };
}

function loggerInto(logs: Logged[]): TelegramOptions['logger'] {
  const at = (level: string) => (fields: object, message: string) =>
    void logs.push({ level, message, fields });
  const logger: TelegramOptions['logger'] = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => logger,
  };
  return logger;
}

/** What intake is to a listener. */
class MemoryStore {
  /** Updates of every call that was committed. */
  readonly batches: (readonly IncomingUpdate[])[] = [];
  /** Calls, failed ones among them. */
  calls = 0;
  /** How many calls still fail. */
  failures = 0;
  /** While set, a call waits for it before it commits. */
  gate: Promise<void> | null = null;

  readonly take: StoreUpdates = async (updates) => {
    this.calls += 1;
    await this.gate;
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('the database is away');
    }
    const known = new Set(this.updates().map(({ updateKey }) => updateKey));
    this.batches.push(updates);
    return updates.map(({ updateKey }): StoredUpdate => ({
      updateKey,
      result: known.has(updateKey) ? 'duplicate' : 'stored',
    }));
  };

  updates(): IncomingUpdate[] {
    return this.batches.flat();
  }

  /** Texts of the messages, repeats among them. */
  texts(): string[] {
    return this.updates().flatMap(({ content }) => (content.kind === 'message' ? [content.text] : []));
  }

  async waitForTexts(count: number): Promise<string[]> {
    return soon(() => {
      const texts = this.texts();
      if (texts.length < count) throw new Error(`${texts.length} of ${count} messages are stored`);
      return texts;
    });
  }
}

/** Try until it no longer throws; at most 5 s. */
export function soon<T>(look: () => T): Promise<T> {
  return vi.waitFor(look, { interval: 2, timeout: 5000 });
}
