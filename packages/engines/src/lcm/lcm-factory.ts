import {
  silentMeter,
  systemClock,
  type Clock,
  type Config,
  type EngineFactory,
  type LcmStore,
  type Meter,
  type Session,
  type Summariser,
} from '@palimpsest/core';
import { BodyCache } from './body-cache.ts';
import { emptyState, isState, type LcmParts } from './engine-parts.ts';
import { LcmEngine } from './engine.ts';
import { LcmMeasures } from './measures.ts';
import { presentOnce } from './present-summary.ts';
import { timeWords } from './time-words.ts';

export interface LcmOptions {
  /** The whole file. */
  config: Config;
  store: LcmStore;
  /** `fallback_providers`, in order. */
  fallbacks?: readonly Summariser[];
  /** Answers lcm_expand_query and writes weak summaries anew; left out: neither is done. */
  reader?: Summariser;
  /** Puts the calls of `reader` and `fallbacks` on a session's bill; left out: nobody counts them. */
  onBill?: (summariser: Summariser, sessionId: string) => Summariser;
  /** Left out: the system's. */
  clock?: Clock;
  /** Left out: nothing is measured. */
  meter?: Meter;
}

/** The lossless engine: summaries in a graph beside the transcript, through its store port. */
export function lcmFactory(options: LcmOptions): EngineFactory {
  const { store, onBill = (summariser) => summariser } = options;
  const parts = partsOf(options);
  const ofSession = ({ id }: Session): LcmParts => ({
    ...parts,
    reader: parts.reader && onBill(parts.reader, id),
    fallbacks: parts.fallbacks.map((fallback) => onBill(fallback, id)),
  });
  return {
    name: 'lcm',
    load: (session) => parts.measures.timed('load', () => store.load(session.id)),
    create: ({ session, model, state }) =>
      new LcmEngine(ofSession(session), {
        session,
        model,
        state: isState(state) ? state : emptyState(parts.clock.now()),
      }),
  };
}

function partsOf({
  config,
  store,
  fallbacks = [],
  reader,
  clock = systemClock,
  meter = silentMeter,
}: LcmOptions): LcmParts {
  const { lcm } = config.context;
  const time = timeWords(config.timezone);
  return {
    config,
    store,
    fallbacks,
    reader: reader ?? null,
    clock,
    measures: new LcmMeasures(meter, clock),
    bodies: new BodyCache(store),
    present: presentOnce(time),
    inFlight: new Set(),
    known: new Set(),
    time,
    style: { time, timezone: config.timezone, injectedTags: lcm.strip_injected_context_tags },
    rules: {
      ttlMs: cacheTtlMs(config),
      coldObservations: lcm.cache_aware_compaction.cold_cache_observation_threshold,
    },
  };
}

/** Prefixes that are kept for an hour count as cached for an hour. */
function cacheTtlMs({ context, prompt_caching }: Config): number {
  const ttlMs = context.lcm.cache_aware_compaction.cache_ttl_seconds * 1000;
  return prompt_caching.cache_ttl === '1h' ? Math.max(ttlMs, 3_600_000) : ttlMs;
}
