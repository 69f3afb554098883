import type { ModelPrice } from './model.ts';
import type { Usage } from '../usage.ts';
import type { Reason } from '../ledger.ts';

/** One request to write a summary. The prompt is complete; what it quotes is marked as data by the engine. */
export interface SummaryRequest {
  system: string;
  prompt: string;
  /** Guidance for the length, tokens. */
  targetTokens: number;
}

export type SummaryAnswer =
  | { kind: 'text'; text: string; usage: Usage | null }
  | {
      kind: 'failed';
      reason: Reason;
      /** What may be done about it: `abort` keeps the transcript, `local` allows the deterministic summary. */
      policy: 'abort' | 'local';
      cooldownMs: number;
      message: string;
      /** What it took all the same, where there was an answer. */
      usage?: Usage | null;
    };

/** The model behind an engine: the only way an engine may call one. */
export interface Summariser {
  readonly model: string;
  /** Who serves the model; left out: what stands before the first slash of its name. */
  readonly provider?: string;
  /** Window of the summary model; requests are sized to it. */
  readonly windowTokens: number;
  readonly pricePerMillion?: ModelPrice;
  summarise(request: SummaryRequest, signal: AbortSignal): Promise<SummaryAnswer>;
}
