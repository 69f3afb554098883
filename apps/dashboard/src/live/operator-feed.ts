import type { StoreNotice } from '@palimpsest/core';
import type { LiveEvent } from './event-stream.ts';
import type { NoticeFeed } from './notice-hub.ts';

const leastRestMs = 700;
const mostRestMs = 5_000;
const msAPage = 50;

/** Says only that something changed: the page then reads what it shows. */
export class OperatorFeed implements NoticeFeed {
  readonly #sessionId: string | null;
  readonly #listening: () => number;
  #told = false;

  /** sessionId  null: any session · listening  pages that are open */
  constructor(sessionId: string | null, listening: () => number) {
    this.#sessionId = sessionId;
    this.#listening = listening;
  }

  /** Each page that is told reads anew, so the more there are the less often each is told: 50 of them every 2.5 s. */
  get restMs(): number {
    return Math.min(mostRestMs, Math.max(leastRestMs, this.#listening() * msAPage));
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
