import type { Logger, NoticeStore, StoreNotice } from '@palimpsest/core';
import { problemOf } from '../error-response.ts';
import type { Bell, Feed } from './event-stream.ts';

type Subscription = Promise<{ close(): Promise<void> }>;

/** A feed that looks when it hears of something. */
export interface NoticeFeed extends Feed {
  /** Whether this notice may mean news. */
  concerns(notice: StoreNotice): boolean;
}

/** One subscription to the database's notices, shared by every open stream and closed with the last one. */
export class NoticeHub {
  readonly #notices: NoticeStore;
  readonly #logger: Logger;
  readonly #listeners = new Set<(notice: StoreNotice) => void>();
  #subscription: Subscription | null = null;

  constructor(notices: NoticeStore, logger: Logger) {
    this.#notices = notices;
    this.#logger = logger;
  }

  /** Open streams. */
  get listening(): number {
    return this.#listeners.size;
  }

  /** returns the way out */
  listen(onNotice: (notice: StoreNotice) => void): () => void {
    this.#listeners.add(onNotice);
    this.stayOpen();
    return () => {
      this.#listeners.delete(onNotice);
      if (this.#listeners.size === 0) this.#close();
    };
  }

  /** Rings for the notices that concern `feed`. */
  bellOf(feed: NoticeFeed): Bell {
    return {
      follow: (ring) =>
        this.listen((notice) => {
          if (feed.concerns(notice)) ring();
        }),
      stayOpen: () => this.stayOpen(),
    };
  }

  /** Subscribe again when the first try failed; streams call this whenever they look by themselves. */
  stayOpen(): void {
    if (this.#listeners.size === 0 || this.#subscription) return;
    const opening = this.#open();
    this.#subscription = opening;
    opening.catch((thrown: unknown) => {
      if (this.#subscription === opening) this.#subscription = null;
      this.#logger.warn(
        { problem: problemOf(thrown) },
        'notices of the database not heard; pages look by themselves',
      );
    });
  }

  async #open(): Subscription {
    return this.#notices.subscribe((notice) => {
      for (const listener of this.#listeners) listener(notice);
    });
  }

  #close(): void {
    const closing = this.#subscription;
    this.#subscription = null;
    void closing?.then((subscription) => subscription.close()).catch(() => {});
  }
}
