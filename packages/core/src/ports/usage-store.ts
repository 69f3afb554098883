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
  /** US dollars of this day: of the person behind a platform's id, over all their identities, and of everybody; and their answers. */
  today(sender: {
    platform: Platform;
    userId: string;
  }): Promise<{ person: number; personTurns: number; installation: number }>;
}
