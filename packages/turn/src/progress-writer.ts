import type { Clock, Turn, TurnStore } from '@palimpsest/core';

/** Rows of turn_progress are written at most this often: often enough to read along. */
const everyMs = 250;

/** Writes the text so far for previews, throttled, newest wins; a failed write is not worth a word. */
export class ProgressWriter {
  readonly #store: Pick<TurnStore, 'putProgress'>;
  readonly #turn: Pick<Turn, 'id' | 'chat'>;
  readonly #sessionId: () => string;
  readonly #clock: Clock;
  #writing = false;
  /** An answer that is there within the first interval needs no preview. */
  #lastAt: number;
  #next: { text: string; note: string } | null = null;
  #timer: NodeJS.Timeout | undefined;

  /** `sessionId` is asked at every write: a rotation takes the turn along. */
  constructor(
    store: Pick<TurnStore, 'putProgress'>,
    of: { turn: Pick<Turn, 'id' | 'chat'>; sessionId: () => string },
    clock: Clock,
  ) {
    this.#store = store;
    this.#turn = of.turn;
    this.#sessionId = of.sessionId;
    this.#clock = clock;
    this.#lastAt = clock.now().getTime();
  }

  put(text: string, note: string): void {
    this.#next = { text, note };
    // At most one interval, also when the clock was set back meanwhile.
    const dueInMs = Math.min(everyMs, this.#lastAt + everyMs - this.#clock.now().getTime());
    if (this.#writing || this.#timer !== undefined) return;
    if (dueInMs <= 0) void this.#write();
    // What is said last before a long silence is seen, too.
    else this.#timer = setTimeout(() => void this.#write(), dueInMs).unref();
  }

  /** The turn is over; what was not written is not missed. */
  stop(): void {
    this.#next = null;
    clearTimeout(this.#timer);
  }

  async #write(): Promise<void> {
    const { id: turnId, chat } = this.#turn;
    this.#writing = true;
    this.#timer = undefined;
    try {
      while (this.#next) {
        const progress = this.#next;
        this.#next = null;
        this.#lastAt = this.#clock.now().getTime();
        await this.#store.putProgress({
          sessionId: this.#sessionId(),
          turnId,
          chatRowId: chat.chatRowId,
          ...progress,
        });
        if (this.#clock.now().getTime() - this.#lastAt < everyMs) break;
      }
    } catch {
      // Previews may be lost; the answer itself goes through the outbox.
    } finally {
      this.#writing = false;
    }
  }
}
