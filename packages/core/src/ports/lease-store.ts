/** Rows of `leases`: one poller and one sender an account, one sweeper, one exporter. Database clock only. */
export interface LeaseStore {
  /** True when `owner` now holds it: it was free, expired or already ours (then renewed). */
  acquire(name: string, owner: string, ttlMs: number): Promise<boolean>;
  release(name: string, owner: string): Promise<void>;
  /** Who holds it now, null when free or expired. */
  holder(name: string): Promise<{ owner: string; expiresInMs: number } | null>;
  /**
   * End every lease, those of sessions too: only for a start that knows that no other process uses the database (the
   * lock of an embedded database's folder proves it). Writes of a former holder are still fenced by the epoch.
   */
  endAll(): Promise<void>;
}
