/** A platform of people in this process: what they say is handed in at once, and what is sent to them is seen at once. */
import type { Adapter } from '@palimpsest/gateway';
import type { IncomingUpdate, PlatformListener, PlatformSender, StoreUpdates } from '@palimpsest/core';

/** Stands in for Telegram, whose settings hold for it. */
const account = { platform: 'telegram', id: 'people' } as const;

export class PeoplePlatform {
  readonly #listening = Promise.withResolvers<StoreUpdates>();
  /** By chat: when its message came in; taken out by the first thing that is sent there. */
  readonly #waiting = new Map<string, number>();
  #waitsMs: number[] = [];
  #expected = Infinity;
  #allSeen = Promise.withResolvers<void>();
  refused = 0;

  readonly adapter: Adapter = { listener: this.#listener(), sender: this.#sender() };

  /** Forget what was, and expect so many replies. */
  begin(expected: number): void {
    this.#waiting.clear();
    this.#waitsMs = [];
    this.#expected = expected;
    this.#allSeen = Promise.withResolvers<void>();
  }

  /** Resolves when every message of the run has a visible reply. */
  get allSeen(): Promise<void> {
    return this.#allSeen.promise;
  }

  /** Message in → first thing sent to its chat, ms. */
  get waitsMs(): readonly number[] {
    return this.#waitsMs;
  }

  /** One message of a person; a direct chat each. It is repeated until it is stored, as a platform does. */
  async say(person: number, message: number): Promise<void> {
    const update = updateOf(person, message);
    this.#waiting.set(`${person}`, performance.now());
    const store = await this.#listening.promise;
    for (;;) {
      try {
        return void (await store([update]));
      } catch {
        this.refused += 1;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  #listener(): PlatformListener {
    return {
      account,
      run: async (store, signal) => {
        this.#listening.resolve(store);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      lastAlive: () => new Date(),
    };
  }

  #sender(): PlatformSender {
    const seen = (chatId: string) => this.#seen(chatId);
    return {
      account,
      typingEveryMs: 4_500,
      repeatIsSafe: false,
      split: (text) => [{ text }],
      async send({ place, nonce }) {
        seen(place.chatId);
        return { kind: 'sent', platformMessageId: nonce };
      },
      async edit({ platformMessageId }) {
        return { kind: 'sent', platformMessageId };
      },
      async typing() {},
      async close() {},
    };
  }

  #seen(chatId: string): void {
    const since = this.#waiting.get(chatId);
    if (since === undefined) return;
    this.#waiting.delete(chatId);
    this.#waitsMs.push(performance.now() - since);
    if (this.#waitsMs.length >= this.#expected) this.#allSeen.resolve();
  }
}

function updateOf(person: number, message: number): IncomingUpdate {
  const id = `${person}-${message}`;
  const text = `Message ${message}: could you look at the plan for Thursday and tell me whether it still fits?`;
  return {
    updateKey: id,
    raw: new TextEncoder().encode(JSON.stringify({ id, text })),
    content: {
      kind: 'message',
      chat: { chatId: `${person}`, threadId: '', kind: 'direct' },
      sender: { id: `${person}`, name: `Person ${person}`, isBot: false },
      messageId: `${message}`,
      text,
      sentAt: new Date(),
      addressed: true,
    },
  };
}
