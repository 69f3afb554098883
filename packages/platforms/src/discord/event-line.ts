import type { IncomingUpdate } from '@palimpsest/core';
import type { FirmStore } from './firm-store.ts';

const batchSize = 100;

/** Channels whose gap is not closed yet. Storing newer events of theirs would hide the gap from the next backfill. */
export type OpenGaps = ReadonlySet<string> | 'all';

/** Closes the gap behind a fresh session; tells what it had to leave open, which is only so when it was stopped. */
export type GapTask = () => Promise<OpenGaps>;

/**
 * Events on their way to the store, in order of arrival: put → batch → stored → next batch.
 * A gap task stands in the line like an event: what came before it is stored first, what comes after waits.
 */
export class EventLine {
  readonly #store: FirmStore;
  readonly #waiting: (IncomingUpdate | GapTask)[] = [];
  readonly #onFault: (thrown: unknown) => void;
  #openGaps: OpenGaps = new Set();
  #work: Promise<void> | null = null;

  constructor(store: FirmStore, onFault: (thrown: unknown) => void) {
    this.#store = store;
    this.#onFault = onFault;
  }

  put(item: IncomingUpdate | GapTask): void {
    this.#waiting.push(item);
    this.#work ??= this.#run();
  }

  /** Resolves when nothing waits. */
  async empty(): Promise<void> {
    while (this.#work) await this.#work;
  }

  async #run(): Promise<void> {
    // Events of one tick make one batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      try {
        await this.#step();
      } catch (thrown) {
        this.#onFault(thrown);
      }
    }
    this.#work = null;
  }

  async #step(): Promise<void> {
    const [head] = this.#waiting;
    if (typeof head === 'function') {
      this.#waiting.shift();
      this.#openGaps = await head();
      return;
    }
    const batch = this.#takeBatch().filter((update) => !this.#isHeldBack(update));
    if (batch.length === 0) return;
    try {
      await this.#store.put(batch);
    } catch (thrown) {
      // It only gives up at the end; what came later would hide the gap.
      this.#openGaps = 'all';
      throw thrown;
    }
  }

  #takeBatch(): IncomingUpdate[] {
    const end = this.#waiting.findIndex((item) => typeof item === 'function');
    const taken = this.#waiting.splice(0, Math.min(batchSize, end === -1 ? this.#waiting.length : end));
    return taken.filter((item) => typeof item !== 'function');
  }

  #isHeldBack({ content }: IncomingUpdate): boolean {
    if (this.#openGaps === 'all') return true;
    const chat = 'chat' in content ? content.chat : undefined;
    return chat !== undefined && this.#openGaps.has(chat.chatId);
  }
}
