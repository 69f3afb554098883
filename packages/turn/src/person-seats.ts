/** The place of one claim among the turns of a person. */
export interface Seat {
  /** Whether a turn for the person may begin; it then counts until `leave`. */
  take(personId: string): boolean;
  leave(): void;
  /** After a refusal: wake the session once a turn of the person has ended; at once when one has already. */
  wakeWhenFree(sessionId: string): void;
}

/**
 * Counts the turns of each person in this process, so that one with many conversations leaves room for the others. Who is
 * refused is woken in order; if this process ends before, the sweeper finds the session.
 */
export class PersonSeats {
  readonly #most: number;
  readonly #wake: (sessionId: string) => void;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map<string, Set<string>>();

  constructor(most: number, wake: (sessionId: string) => void) {
    this.#most = most;
    this.#wake = wake;
  }

  seat(): Seat {
    let asked = '';
    let isTaken = false;
    return {
      take: (personId) => {
        asked = personId;
        isTaken = this.#isFree(personId);
        if (isTaken) this.#count(personId, 1);
        return isTaken;
      },
      leave: () => {
        if (!isTaken) return;
        isTaken = false;
        this.#count(asked, -1);
        this.#wakeNext(asked);
      },
      wakeWhenFree: (sessionId) => {
        if (this.#isFree(asked)) return this.#wake(sessionId);
        const waiting = this.#waiting.get(asked) ?? new Set();
        this.#waiting.set(asked, waiting.add(sessionId));
      },
    };
  }

  #isFree(personId: string): boolean {
    return (this.#taken.get(personId) ?? 0) < this.#most;
  }

  #count(personId: string, change: number): void {
    const taken = (this.#taken.get(personId) ?? 0) + change;
    if (taken === 0) this.#taken.delete(personId);
    else this.#taken.set(personId, taken);
  }

  #wakeNext(personId: string): void {
    const waiting = this.#waiting.get(personId);
    const [next] = waiting ?? [];
    if (waiting === undefined || next === undefined) return;
    waiting.delete(next);
    if (waiting.size === 0) this.#waiting.delete(personId);
    this.#wake(next);
  }
}
