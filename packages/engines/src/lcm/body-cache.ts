import type { LcmStore, LcmSummary } from '@palimpsest/core';

/** Characters of all texts kept, of every session of this process. */
const mostCharacters = 8_000_000;

/** Texts of summaries, which never change: what was read once is not read again while there is room. */
export class BodyCache {
  readonly #store: Pick<LcmStore, 'summaries'>;
  readonly #known = new Map<string, LcmSummary>();
  #characters = 0;

  constructor(store: Pick<LcmStore, 'summaries'>) {
    this.#store = store;
  }

  /** How many statements `read` would take. */
  statements(sessionId: string, ids: readonly string[]): 0 | 1 {
    return ids.every((id) => this.#known.has(keyOf(sessionId, id))) ? 0 : 1;
  }

  /** Texts by id; one statement for those that are missing, none when nothing is. */
  async read(sessionId: string, ids: readonly string[]): Promise<ReadonlyMap<string, LcmSummary>> {
    const missing = ids.filter((id) => !this.#known.has(keyOf(sessionId, id)));
    const read = missing.length === 0 ? [] : await this.#store.summaries(sessionId, missing);
    const found = new Map(read.map((summary) => [summary.id, summary]));
    for (const id of ids) {
      const known = this.#known.get(keyOf(sessionId, id));
      if (known) found.set(id, known);
    }
    for (const summary of read) this.#keep(sessionId, summary);
    return found;
  }

  #keep(sessionId: string, summary: LcmSummary): void {
    this.#known.set(keyOf(sessionId, summary.id), summary);
    this.#characters += summary.content.length;
    for (const [key, oldest] of this.#known) {
      if (this.#characters <= mostCharacters) return;
      this.#known.delete(key);
      this.#characters -= oldest.content.length;
    }
  }
}

function keyOf(sessionId: string, id: string): string {
  return `${sessionId} ${id}`;
}
