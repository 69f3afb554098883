import type { Platform } from '../chat.ts';

/** Model calls added up. `dollars` leaves out calls of models whose price is not known: `unpricedCalls`. */
export interface Spending {
  calls: number;
  unpricedCalls: number;
  promptTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  dollars: number;
}

/** What a summary cost its model; `dollars` null: its price is not known. */
export interface SummaryCost {
  sessionId: string;
  model: string;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  dollars: number | null;
}

/** What one turn took, all its model calls added up. */
export type TurnUsage = Omit<Spending, 'unpricedCalls'>;

/** What model calls cost; written by `TurnStore` with each round. Days are those of UTC, by the database's clock. */
export interface UsageStore {
  /** Nobody asked for it by themselves: it counts for the session and for everybody. */
  addSummary(cost: SummaryCost): Promise<void>;
  ofSession(sessionId: string): Promise<Spending>;
  /** The session's newest turn that has ended; null when there is none. */
  lastTurn(sessionId: string): Promise<TurnUsage | null>;
  /**
   * What was used on this day. The person is the one behind a platform's id, or the one whose direct chat the session is; in a
   * group that is nobody.
   */
  today(of: { platform: Platform; userId: string } | { sessionId: string }): Promise<UsageOfToday>;
}

/** US dollars of the person over all their identities and of everybody, and the answers that the person got. */
export interface UsageOfToday {
  person: number;
  personTurns: number;
  installation: number;
}
