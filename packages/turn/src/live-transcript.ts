import type { MessageRow, RowHeader, Session, TranscriptStore, TranscriptView } from '@palimpsest/core';

/** Nearly every prompt holds these; a short session needs no second read. */
const newestBodies = 40;

/** The live rows of a claimed session, kept in step with what this claim stores. */
export class LiveTranscript implements TranscriptView {
  session: Session;
  rows: readonly RowHeader[] = [];
  readonly #store: Pick<TranscriptStore, 'liveView' | 'bodies'>;
  readonly #bodies = new Map<number, MessageRow>();

  constructor(store: Pick<TranscriptStore, 'liveView' | 'bodies'>, session: Session) {
    this.#store = store;
    this.session = session;
  }

  /** Read the headers anew: at the claim, and after rows were archived. Bodies once read stay. */
  async reload(): Promise<void> {
    const { rows, bodies } = await this.#store.liveView(this.session.id, newestBodies);
    this.rows = rows;
    for (const row of bodies) this.#bodies.set(row.id, row);
  }

  /** Rows this claim has just stored at the end. */
  append(stored: readonly MessageRow[]): void {
    for (const row of stored) this.#bodies.set(row.id, row);
    this.rows = [...this.rows, ...stored];
  }

  async bodies(ids: readonly number[]): Promise<ReadonlyMap<number, MessageRow>> {
    const missing = ids.filter((id) => !this.#bodies.has(id));
    if (missing.length > 0) {
      for (const row of await this.#store.bodies(this.session.id, missing)) this.#bodies.set(row.id, row);
    }
    return this.#bodies;
  }
}
