import type { BoardStore, StoredEvent, StoreNotice } from '@palimpsest/core';
import type { LiveEvent } from './event-stream.ts';
import type { NoticeFeed } from './notice-hub.ts';
import type { SharedReads } from './shared-reads.ts';

const most = 100;
const freshMs = 500;

/** Stored events as they come, each with its id, so that a page that was away gets those it missed. */
export class EventFeed implements NoticeFeed {
  readonly restMs = 500;
  readonly #boards: Pick<BoardStore, 'events'>;
  readonly #shared: SharedReads;
  #afterId: number;

  constructor(boards: Pick<BoardStore, 'events'>, shared: SharedReads, afterId: number) {
    this.#boards = boards;
    this.#shared = shared;
    this.#afterId = afterId;
  }

  concerns(notice: StoreNotice): boolean {
    return notice.kind === 'compaction' || notice.kind === 'reply';
  }

  async news(): Promise<readonly LiveEvent[]> {
    const afterId = this.#afterId;
    const found = await this.#shared.read<readonly StoredEvent[]>(`events after ${afterId}`, freshMs, () =>
      this.#boards.events({ limit: most, afterId }),
    );
    this.#afterId = found.at(-1)?.id ?? afterId;
    return found.map((event) => ({ event: 'event', data: event, id: String(event.id) }));
  }

  patienceMs(): number {
    return 2_000;
  }
}
