/** A wake-up for maintenance of one session; the work itself is read from the database. */
export interface MaintenanceTask {
  /** prepare: write a summary ahead of time · idle: the session has been quiet, condense it · debt: work an engine put off. */
  kind: 'prepare' | 'idle' | 'debt';
  sessionId: string;
  /** True: a turn is waiting for the result. */
  urgent: boolean;
}

export interface Stoppable {
  /** Take no new job, wait for running ones up to `deadlineMs`, then give up waiting. */
  stop(deadlineMs: number): Promise<void>;
}

/**
 * BullMQ behind one factory, on Redis or on Postgres. Jobs carry ids, never text. Everything may be lost at any
 * moment; nothing may depend on a job arriving: the sweeper wakes again.
 */
export interface Queue {
  readonly backend: 'redis' | 'postgres';
  /**
   * One coalesced wake-up a session: while one waits this does nothing, while one runs it leaves exactly one more.
   * `pastRunning`: one that runs is taken for dead and not waited for, since nobody holds the session.
   */
  wake(sessionId: string, options?: { pastRunning?: boolean }): Promise<void>;
  /** One coalesced wake-up for the sender of an account. */
  deliver(account: string): Promise<void>;
  /** One coalesced wake-up for whoever fetches the files of an account's messages. */
  fetchMedia(account: string): Promise<void>;
  maintain(task: MaintenanceTask): Promise<void>;
  /** The signal fires when the job's lock is lost or the worker is stopping hard. */
  workTurns(
    handler: (sessionId: string, signal: AbortSignal) => Promise<void>,
    concurrency: number,
  ): Promise<Stoppable>;
  workDeliveries(account: string, handler: () => Promise<void>): Promise<Stoppable>;
  workMedia(account: string, handler: () => Promise<void>): Promise<Stoppable>;
  workMaintenance(
    handler: (task: MaintenanceTask, signal: AbortSignal) => Promise<void>,
    concurrency: number,
  ): Promise<Stoppable>;
  /** Throws queue_unavailable with what to do; answers within 2 s. */
  ping(): Promise<void>;
  counts(): Promise<Record<string, number>>;
  /** BullMQ's own objects, for a board that looks into them: turns, maintenance, and the deliveries of these accounts. */
  boards(accounts: readonly string[]): Promise<readonly object[]>;
  close(): Promise<void>;
}
