import type { StoreNotice } from '@palimpsest/core';
import type { Feed, LiveEvent } from './event-stream.ts';

/** Says only that something changed: the page then reads what it shows. */
export class OperatorFeed implements Feed {
  readonly restMs = 700;
  readonly #sessionId: string | null;
  #told = false;

  /** sessionId  null: any session */
  constructor(sessionId: string | null) {
    this.#sessionId = sessionId;
  }

  concerns(notice: StoreNotice): boolean {
    // Text so far changes nothing an operator's page shows.
    if (notice.kind === 'progress') return false;
    return this.#sessionId === null || !('sessionId' in notice) || notice.sessionId === this.#sessionId;
  }

  async news(): Promise<readonly LiveEvent[]> {
    const event = this.#told ? 'changed' : 'hello';
    this.#told = true;
    return [{ event, data: null }];
  }

  patienceMs(): number {
    // A session's page reads thousands of rows, so without a notice it looks seldom.
    return this.#sessionId === null ? 5_000 : 30_000;
  }
}
