import type { Layer, Trigger } from '../ledger.ts';

export interface ClosedOrphan {
  layer: Layer;
  trigger: Trigger;
}

/** What the sweeper finds; it only reads columns behind partial indexes. */
export interface SweepStore {
  /** Sessions with due mailbox rows, signals or running turns and a free or expired lease, oldest first. */
  sessionsToWake(limit: number): Promise<readonly string[]>;
  /** Accounts with due replies. */
  accountsToDeliver(): Promise<readonly string[]>;
  /** Accounts with messages whose files nobody fetches. */
  accountsToFetch(): Promise<readonly string[]>;
  /**
   * Open sessions with a free lease in which nothing happened for `idleSeconds` and that idle compaction has not looked at
   * since, latest first.
   */
  idleSessions(idleSeconds: number, limit: number): Promise<readonly string[]>;
  /** Ledger rows whose holder is gone are closed as failed, reason lease_lost; which they were. */
  closeOrphans(): Promise<readonly ClosedOrphan[]>;
  /**
   * Expired inbox rows, prepared plans and old ledger rows by retention, and with `media` the bytes of old files that are
   * no text and that no live row, waiting message or reply on its way needs; how many rows went or were emptied.
   */
  retire(days: { inbox: number; events: number; ledger: number; media?: number | null }): Promise<number>;
  /**
   * Index rows anew whose session was indexed in an older way, `mostRows` of them or a session's batch more; how many it
   * were. 0: all are up to date.
   */
  reindexSearch(mostRows: number): Promise<number>;
}
