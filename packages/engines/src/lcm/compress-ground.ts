import type { Clock, Config, LcmState, LcmStore, LcmTelemetry, Summariser } from '@palimpsest/core';
import type { BodyCache } from './body-cache.ts';
import type { CacheRules } from './cache-state.ts';
import type { ContextItem } from './items.ts';
import type { LcmMeasures } from './measures.ts';
import type { SourceStyle } from './leaf-source.ts';
import type { Sizes } from './sizes.ts';

export interface CompressHelp {
  summariser: Summariser;
  clock: Clock;
  signal: AbortSignal;
}

export interface CompressGround {
  config: Config;
  store: LcmStore;
  bodies: BodyCache;
  state: LcmState;
  items: readonly ContextItem[];
  sizes: Sizes;
  style: SourceStyle;
  /** Of the model in use. */
  telemetry: LcmTelemetry;
  rules: CacheRules;
  measures: LcmMeasures;
  /** Tried in turn after the summariser that is handed in. */
  fallbacks: readonly Summariser[];
  help: CompressHelp;
}
