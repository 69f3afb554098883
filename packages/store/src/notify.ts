/** Tell listeners what just happened: `pg_notify`, once the transaction it speaks of is committed. */
import type { StoreNotice } from '@palimpsest/core';
import type pg from 'pg';

export const noticeChannel = 'palimpsest';

/** A payload is at most some 200 bytes of the 8,000 that Postgres takes; this many keep a statement small. */
const mostAtOnce = 500;
/** What comes within this goes together: nobody sees the difference, and a busy service sends a quarter of the statements. */
const gatherMs = 5;

/**
 * Sends notices behind the commits they speak of, all that wait in one statement. Never inside those transactions: one that
 * notifies holds a lock of the whole server until its commit is on the disk, so all of them would commit one after another
 * (measured: 183 turns a second at most, whatever else was free). Ids only; a notice that cannot be sent is dropped.
 */
export class NoticeSender {
  readonly #pool: Pick<pg.Pool, 'query'>;
  #waiting: StoreNotice[] = [];
  #isSending = false;

  constructor(pool: Pick<pg.Pool, 'query'>) {
    this.#pool = pool;
  }

  add(notices: readonly StoreNotice[]): void {
    this.#waiting.push(...notices);
    if (!this.#isSending && this.#waiting.length > 0) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    await new Promise((resolve) => {
      setTimeout(resolve, gatherMs);
    });
    while (this.#waiting.length > 0) {
      const payloads = this.#waiting.splice(0, mostAtOnce).map((notice) => JSON.stringify(notice));
      await this.#pool.query({ name: 'notify', text: statement, values: [payloads] }).catch(() => {});
    }
    this.#isSending = false;
  }
}

/** Its commit does not wait for the disk, so that the lock is held for microseconds. */
const statement = `WITH commit AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
  SELECT pg_notify('${noticeChannel}', payload) FROM commit, unnest($1::text[]) AS u(payload)`;
