/** Rows of `leases`: one poller and one sender an account, one sweeper, one exporter. Database clock only. */
export interface LeaseStore {
  /** True when `owner` now holds it: it was free, expired or already ours (then renewed). */
  acquire(name: string, owner: string, ttlMs: number): Promise<boolean>;
  release(name: string, owner: string): Promise<void>;
  /** Who holds it now, null when free or expired. */
  holder(name: string): Promise<{ owner: string; expiresInMs: number } | null>;
}
