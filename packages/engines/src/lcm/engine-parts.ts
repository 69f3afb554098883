import type {
  Clock,
  Config,
  LcmState,
  LcmStore,
  LcmSummary,
  ModelInfo,
  PromptBudget,
  PromptMessage,
  Session,
  Summariser,
} from '@palimpsest/core';
import type { BodyCache } from './body-cache.ts';
import { unknownCache, type CacheRules } from './cache-state.ts';
import type { LcmMeasures } from './measures.ts';
import type { SourceStyle } from './leaf-source.ts';
import type { TimeWords } from './time-words.ts';

/** What every engine of a process shares. */
export interface LcmParts {
  /** The whole file: this engine's settings are `context.lcm`. */
  config: Config;
  store: LcmStore;
  /** Tried in turn after the summariser of a compaction: `fallback_providers`. */
  fallbacks: readonly Summariser[];
  /** Answers lcm_expand_query and repairs; null: both do without. */
  reader: Summariser | null;
  clock: Clock;
  measures: LcmMeasures;
  bodies: BodyCache;
  present(summary: LcmSummary): PromptMessage;
  inFlight: Set<string>;
  /** Long texts that were looked at. */
  known: Set<string>;
  time: TimeWords;
  style: SourceStyle;
  rules: CacheRules;
}

/** What one claimed session's engine is built from. */
export interface EngineInput {
  session: Session;
  model: ModelInfo;
  state: LcmState;
}

/** A session of which nothing is stored yet. */
export function emptyState(now: Date): LcmState {
  return { items: [], boundarySeq: 0, telemetry: [], debt: null, breakers: [], spend: null, now };
}

export function isState(value: unknown): value is LcmState {
  return typeof value === 'object' && value !== null && Array.isArray((value as { items?: unknown }).items);
}

/** What is known of the prompt cache under a model: never what another model's was. */
export function telemetryOf(
  state: LcmState,
  model: Pick<ModelInfo, 'provider' | 'name'>,
): LcmState['telemetry'][number] {
  const found = state.telemetry.find(
    (entry) => entry.provider === model.provider && entry.model === model.name,
  );
  return found ?? unknownCache(model.provider, model.name);
}

/** A window that the next budget will correct. */
export function windowOnly({ windowTokens }: Pick<ModelInfo, 'windowTokens'>): PromptBudget {
  return {
    windowTokens,
    outputReserveTokens: Math.max(1, Math.floor(windowTokens * 0.1)),
    overheadTokens: 0,
  };
}
