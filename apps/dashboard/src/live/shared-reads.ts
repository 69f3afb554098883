import type { Clock } from '@palimpsest/core';
import type { Context } from 'hono';

interface Answer {
  at: number;
  data: Promise<unknown>;
}

/** More than boards have questions; a page that makes up new ones pushes old answers out. */
const mostKept = 200;

/**
 * What many open pages ask at the same moment is asked of the database once. Every page is told of a change at once, so
 * without this fifty of them would mean fifty times the work.
 */
export class SharedReads {
  readonly #clock: Clock;
  readonly #keptFromMs: number;
  readonly #answers = new Map<string, Answer>();

  /** keptFromMs  what would be fresh for less than this is asked anew each time */
  constructor(clock: Clock, keptFromMs = 0) {
    this.#clock = clock;
    this.#keptFromMs = keptFromMs;
  }

  /** freshMs  an answer this young is given again; a failed one never is */
  async read<Data>(question: string, freshMs: number, ask: () => Promise<Data>): Promise<Data> {
    if (freshMs < this.#keptFromMs) return ask();
    const now = this.#clock.now().getTime();
    const known = this.#answers.get(question);
    if (known && now - known.at < freshMs) return known.data as Promise<Data>;
    const data = ask();
    if (this.#answers.size >= mostKept) this.#answers.clear();
    this.#answers.set(question, { at: now, data });
    data.catch(() => {
      if (this.#answers.get(question)?.data === data) this.#answers.delete(question);
    });
    return data;
  }

  /** An answer as it leaves, written out once for all who ask while it is this young. */
  async answer(
    c: Context,
    { question, freshMs }: { question: string; freshMs: number },
    ask: () => Promise<object>,
  ): Promise<Response> {
    const body = await this.read(question, freshMs, async () => JSON.stringify(await ask()));
    return c.body(body, 200, { 'Content-Type': 'application/json' });
  }

  /** It was changed by us: the next one who asks gets it as it is now. */
  forget(question: string): void {
    this.#answers.delete(question);
  }
}
