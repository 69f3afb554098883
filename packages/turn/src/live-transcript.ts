import type {
  LiveView,
  MessageRow,
  RowHeader,
  Session,
  TranscriptStore,
  TranscriptView,
} from '@palimpsest/core';

/** Texts that come with the headers: all that a prompt may hold, or those that nearly every prompt holds. */
const textsAhead = { all: 2_000, few: 40 } as const;

/** The live rows of a claimed session, kept in step with what this claim stores. */
export class LiveTranscript implements TranscriptView {
  session: Session;
  rows: readonly RowHeader[] = [];
  readonly #store: Pick<TranscriptStore, 'liveView' | 'bodies' | 'parts'>;
  readonly #ahead: () => keyof typeof textsAhead;
  readonly #bodies = new Map<number, MessageRow>();

  /** `ahead`: whether a prompt holds all live rows, or few of them. */
  constructor(
    store: Pick<TranscriptStore, 'liveView' | 'bodies' | 'parts'>,
    session: Session,
    ahead: () => keyof typeof textsAhead,
  ) {
    this.#store = store;
    this.session = session;
    this.#ahead = ahead;
  }

  /** How many of the newest rows a read gives whole. */
  get textsAhead(): number {
    return textsAhead[this.#bodies.size === 0 ? this.#ahead() : 'few'];
  }

  /** Read the headers anew: after something else wrote to the session. */
  async reload(): Promise<void> {
    this.take(await this.#store.liveView(this.session.id, this.textsAhead));
  }

  /** What was just read of the session. Bodies once read stay. */
  take({ rows, bodies }: LiveView): void {
    this.rows = rows;
    for (const row of bodies) this.#bodies.set(row.id, row);
  }

  /** Bodies may have changed: something was erased. */
  forget(): void {
    this.#bodies.clear();
  }

  /** Rows this claim has just stored at the end. */
  append(stored: readonly MessageRow[]): void {
    for (const row of stored) this.#bodies.set(row.id, row);
    this.rows = [...this.rows, ...stored];
  }

  async bodies(ids: readonly number[]): Promise<ReadonlyMap<number, MessageRow>> {
    const missing = new Set(ids.filter((id) => !this.#bodies.has(id)));
    if (missing.size > 0) await this.#read(missing);
    return this.#bodies;
  }

  /** Of live rows only the parts are read: their headers are here. */
  async #read(missing: Set<number>): Promise<void> {
    const live = this.rows.filter((row) => missing.has(row.id));
    const parts = await this.#store.parts(
      this.session.id,
      live.map((row) => row.id),
    );
    for (const row of live) {
      const found = parts.get(row.id);
      if (!found) continue;
      this.#bodies.set(row.id, { ...row, parts: found });
      missing.delete(row.id);
    }
    if (missing.size === 0) return;
    for (const row of await this.#store.bodies(this.session.id, [...missing])) this.#bodies.set(row.id, row);
  }
}
