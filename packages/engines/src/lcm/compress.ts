import type { CompactionPlan, CompressRequest, NoPlan, TranscriptView } from '@palimpsest/core';
import { buildPlan, noPlan } from './build-plan.ts';
import { breakCache, cacheNow } from './cache-state.ts';
import { compactUntilUnder } from './compact-until-under.ts';
import type { CompressGround } from './compress-ground.ts';
import { endWithPlan, endWithoutPlan } from './end-of-sweep.ts';
import { decideIncremental, type IncrementalDecision } from './decide-incremental.ts';
import { dynamicChunk } from './dynamic-chunk.ts';
import { freshTail } from './fresh-tail.ts';
import { heldBack } from './held-back.ts';
import { incrementalWork } from './incremental.ts';
import type { SweepMode } from './measures.ts';
import { averageTurnTokens, rawOutside, rawOutsideTail } from './raw-outside-tail.ts';
import { settleDebt, startDebt } from './settle-debt.ts';
import { nameOf, SummaryDesk } from './summary-desk.ts';
import { fullSweep } from './sweep.ts';
import { sweepFigures } from './sweep-figures.ts';
import { tailAhead, tailLimits, Workbench, type TailLevel } from './workbench.ts';

/**
 * One compaction: a whole bounded sweep in memory, whose result is one plan. Never writes the context, never throws for a
 * model failure. A due debt of the session ends with it, whatever came of it.
 *
 *   mode prune ───────────────────────► none: nothing is cleared, everything is summarised
 *   mode local ───────────────────────► the same sweep without a model
 *   layer overflow ───────────────────► sweeps until the prompt is under the threshold
 *   asked for, hygiene, above it ─────► full sweep
 *   background, near the threshold ───► full sweep ahead of time
 *   background, below ────────────────► as much as the cache allows
 */
export async function compress(
  view: TranscriptView,
  request: CompressRequest,
  ground: CompressGround,
): Promise<CompactionPlan | NoPlan> {
  if (request.mode === 'prune')
    return noPlan('noop', 'none', 'this engine clears nothing; it summarises after the reply');
  const debt = await startDebt(view, request, ground);
  const end = await attempt(view, request, ground);
  return settleDebt(view, { debt, end, request }, ground);
}

async function attempt(
  view: TranscriptView,
  request: CompressRequest,
  ground: CompressGround,
): Promise<CompactionPlan | NoPlan> {
  const held = heldBack(view, request, ground);
  if (held) return held;
  const decision = decide(request, ground);
  if (decision === 'below') return noPlan('noop', 'below_threshold', 'there is too little to take out yet');
  if (decision === 'hot')
    return noPlan('noop', 'hot_cache', 'it can wait until the prompt cache has run out');
  if (request.layer === 'manual' && request.force) await ground.store.clearSpend(view.session.id);
  const bench = openBench(view, { request, decision }, ground);
  await work(bench, decision);
  if (decision === 'full' || decision === 'ahead' || decision === 'under') await tighten(bench);
  const end = withSweep(await endOf(bench, ground), { bench, decision, request }, ground);
  ground.measures.swept(bench.made, modeOf(decision));
  if (hasStalled(bench, end)) await restCalls(bench, ground);
  return end;
}

/** Which words of a decision stand in the ledger. */
const decisions = { full: 'full-sweep', ahead: 'ahead-of-threshold', under: 'recovery' } as const;

function withSweep(
  end: CompactionPlan | NoPlan,
  swept: { bench: Workbench; decision: Exclude<Decision, 'below' | 'hot'>; request: CompressRequest },
  { telemetry, state, rules }: CompressGround,
): CompactionPlan | NoPlan {
  if (end.kind === 'none') return end;
  const { bench, decision, request } = swept;
  const isOwed = request.layer === 'background' && state.debt?.pending === true;
  return {
    ...end,
    sweep: sweepFigures(bench, {
      cacheState: cacheNow(telemetry, state.now, rules),
      decision: typeof decision === 'string' ? decisions[decision] : decision.reason,
      debtAgeSeconds: isOwed
        ? Math.max(0, Math.round((state.now.getTime() - state.debt!.requestedAt.getTime()) / 1000))
        : null,
    }),
  };
}

type Decision = 'full' | 'ahead' | 'under' | 'below' | 'hot' | Work;
type Work = Extract<IncrementalDecision, { kind: 'work' }>;

function decide(request: CompressRequest, ground: CompressGround): Decision {
  const { sizes } = ground;
  if (request.layer === 'overflow') return 'under';
  if (request.force || request.layer === 'hygiene' || request.mode === 'local') return 'full';
  if (request.promptTokens > sizes.triggerTokens) return 'full';
  if (request.layer !== 'background') return 'below';
  if (request.promptTokens >= sizes.prepareTokens) return isWorthAhead(request, ground) ? 'ahead' : 'below';
  const decision = decideWaiting(request.promptTokens, ground);
  if (decision.kind === 'nothing') return 'below';
  const { measures, telemetry, rules, state } = ground;
  measures.decided(cacheNow(telemetry, state.now, rules), decision.kind === 'defer' ? 'defer' : 'run');
  return decision.kind === 'defer' ? 'hot' : decision;
}

function modeOf(decision: Exclude<Decision, 'below' | 'hot'>): SweepMode {
  if (decision === 'under') return 'recovery';
  return decision === 'full' || decision === 'ahead' ? 'sweep' : 'incremental';
}

/** A plan made ahead that covers less than this share of the trigger only takes the place of a larger one made a little later. */
const leastAheadShare = 0.2;

function isWorthAhead({ promptTokens }: CompressRequest, { items, sizes, config }: CompressGround): boolean {
  const limits = tailAhead(tailLimits(sizes), Math.max(0, sizes.triggerTokens - promptTokens));
  const raw = rawOutside(items, freshTail(items, limits));
  return (
    raw.tokens >= sizes.triggerTokens * leastAheadShare && raw.messages >= config.context.lcm.leaf_min_fanout
  );
}

/** Work below the threshold, as the cache is now. */
export function decideWaiting(
  promptTokens: number,
  ground: Pick<CompressGround, 'sizes' | 'config' | 'items' | 'telemetry' | 'rules'> & {
    state: { now: Date };
  },
): IncrementalDecision {
  const { sizes, config, telemetry, rules, state, items } = ground;
  const { lcm } = config.context;
  return decideIncremental({
    rawOutsideTail: rawOutsideTail(items, sizes),
    leafTriggerTokens: sizes.leafChunkTokens,
    promptTokens,
    triggerTokens: sizes.triggerTokens,
    budgetTokens: sizes.hardLimitTokens,
    cache: cacheNow(telemetry, state.now, rules),
    settings: lcm.cache_aware_compaction,
    mostPasses: lcm.max_sweep_iterations,
  });
}

function openBench(
  view: TranscriptView,
  { request, decision }: { request: CompressRequest; decision: Decision },
  ground: CompressGround,
): Workbench {
  const { config, sizes, style, items, bodies, help } = ground;
  const { clock, signal } = help;
  const sessionId = view.session.id;
  const desk = request.mode === 'full' ? openDesk(view, request, ground) : null;
  return new Workbench(
    {
      config,
      sessionId,
      sizes,
      style,
      request,
      chunkTokens: chunkOf(ground, desk),
      toComeTokens: decision === 'ahead' ? Math.max(0, sizes.triggerTokens - request.promptTokens) : 0,
      texts: { rows: (ids) => view.bodies(ids), nodes: (ids) => bodies.read(sessionId, ids) },
      desk,
      clock,
      signal,
    },
    items,
    clock.now().getTime() + config.context.lcm.sweep_deadline_ms,
  );
}

function openDesk(view: TranscriptView, request: CompressRequest, ground: CompressGround): SummaryDesk {
  const { config, store, state, help, fallbacks } = ground;
  const open = state.breakers.filter(({ openUntil }) => openUntil !== null && openUntil > state.now);
  return new SummaryDesk({
    summarisers: [help.summariser, ...fallbacks],
    measures: ground.measures,
    store,
    config: config.context.lcm,
    sessionId: view.session.id,
    clock: help.clock,
    signal: help.signal,
    resting: new Set(open.map(nameOf)),
    isSpendFree: request.force,
  });
}

/** A leaf as large as the traffic asks for, within what the summary model can read. */
function chunkOf(
  { config, sizes, items, telemetry, rules, state }: CompressGround,
  desk: SummaryDesk | null,
): number {
  const { enabled, max } = config.context.lcm.dynamic_leaf_chunk_tokens;
  const { tokens } = dynamicChunk({
    isEnabled: enabled,
    floorTokens: sizes.leafChunkTokens,
    maxTokens: max,
    triggerTokens: sizes.triggerTokens,
    averageTurnTokens: averageTurnTokens(items),
    previous: 'low',
    cache: cacheNow(telemetry, state.now, rules),
  });
  return Math.max(1, Math.min(tokens, desk?.inputTokens ?? tokens));
}

async function work(bench: Workbench, decision: Exclude<Decision, 'below' | 'hot'>): Promise<void> {
  const { request, sizes } = bench.ground;
  const isForced = request.force || request.layer === 'hygiene' || request.mode === 'local';
  switch (decision) {
    case 'under':
      return compactUntilUnder(bench, sizes.triggerTokens);
    case 'full':
      return fullSweep(bench, { isForced, isAhead: false, stopAtTokens: null, condense: true });
    case 'ahead':
      return fullSweep(bench, { isForced: false, isAhead: true, stopAtTokens: null, condense: true });
    default:
      return incrementalWork(bench, { ...decision, isUrgent: false });
  }
}

/** A sweep that leaves more than this share of the trigger is followed by the next one in a moment. */
const enoughShare = 0.8;

/**
 * Where the usual tail alone is too much, it gives way: the newest turn keeps its question and newest rounds; where somebody
 * waits and the prompt still does not fit, its question and newest step.
 */
async function tighten(bench: Workbench): Promise<void> {
  const { request, sizes } = bench.ground;
  const expected = bench.promptTokens + bench.ground.toComeTokens;
  if (request.layer !== 'manual' && expected > sizes.triggerTokens * enoughShare)
    await sweepAt(bench, 'rounds');
  const mustFit = isUrgent(request) && request.layer !== 'manual';
  if (mustFit && bench.promptTokens >= sizes.hardLimitTokens) await sweepAt(bench, 'tight');
}

async function sweepAt(bench: Workbench, level: TailLevel): Promise<void> {
  if (bench.stop?.kind === 'stop' || bench.ground.signal.aborted) return;
  bench.stop = null;
  bench.level = level;
  if (level === 'tight') bench.passes = 0;
  await fullSweep(bench, { isForced: true, isAhead: false, stopAtTokens: null, condense: true });
}

/**
 * The plan, or why there is none. Where a message waits and the model failed in a way that allows it, the same sweep goes
 * on without a model.
 */
async function endOf(bench: Workbench, ground: CompressGround): Promise<CompactionPlan | NoPlan> {
  const { request, clock } = bench.ground;
  const failed = bench.stop?.kind === 'stop' ? bench.stop : null;
  const mayGoOn = failed?.policy === 'local' && isUrgent(request);
  if (mayGoOn) {
    bench.goOnWithoutModel();
    await fullSweep(bench, { isForced: true, isAhead: false, stopAtTokens: null, condense: true });
    await tighten(bench);
  }
  const { telemetry, items } = ground;
  const broken = telemetry.model === '' ? null : breakCache(telemetry, clock.now());
  const plan = buildPlan(bench, items, broken);
  if (plan) return endWithPlan(plan, mayGoOn ? failed : null);
  return endWithoutPlan(bench, failed);
}

/** Calls were made, nothing came of them, and the prompt is still too large; a sweep cut off by a bound may go on. */
function hasStalled(bench: Workbench, end: CompactionPlan | NoPlan): boolean {
  const { sizes, request } = bench.ground;
  const isCut = bench.stop !== null && (bench.stop.kind === 'stop' || bench.stop.bound !== 'passes');
  if (end.kind === 'plan' || request.force || isCut) return false;
  return bench.cost.calls > 0 && bench.promptTokens > sizes.triggerTokens;
}

function restCalls({ ground: { sessionId, config } }: Workbench, { store }: CompressGround): Promise<void> {
  const { lcm } = config.context;
  return store.stopSpend(sessionId, {
    maxCalls: lcm.summary_max_calls_per_window,
    windowMs: lcm.summary_call_window_ms,
    backoffMs: lcm.summary_spend_backoff_ms,
  });
}

/** Somebody waits for room; at the threshold alone there is time for another attempt. */
function isUrgent({ layer, trigger }: CompressRequest): boolean {
  return layer !== 'background' && trigger !== 'threshold' && trigger !== 'idle';
}
