import {
  estimateTokens,
  type Clock,
  type LcmNewSummary,
  type Meter,
  type ToolResult,
} from '@palimpsest/core';
import type { CacheState } from './cache-state.ts';
import type { ContextItem } from './items.ts';

export type LcmPhase = 'load' | 'select' | 'repair' | 'estimate' | 'summarise';
export type SweepMode = 'incremental' | 'sweep' | 'recovery';

/** What this engine measures of itself. Never an id, never a text. */
export class LcmMeasures {
  readonly #meter: Meter;
  readonly #clock: Clock;

  constructor(meter: Meter, clock: Clock) {
    this.#meter = meter;
    this.#clock = clock;
  }

  async timed<Value>(phase: LcmPhase, work: () => Promise<Value>): Promise<Value> {
    const startedAt = this.#clock.now().getTime();
    try {
      return await work();
    } finally {
      this.#took(phase, startedAt);
    }
  }

  timedNow<Value>(phase: LcmPhase, work: () => Value): Value {
    const startedAt = this.#clock.now().getTime();
    const value = work();
    this.#took(phase, startedAt);
    return value;
  }

  /** Summaries that a sweep has made, whatever becomes of its plan. */
  swept(made: readonly Pick<LcmNewSummary, 'kind' | 'escalation'>[], mode: SweepMode): void {
    for (const { kind, escalation } of made) {
      this.#meter.count('gateway_lcm_passes_total', { kind, mode });
      const level = escalation === 'fallback' ? 'deterministic' : escalation;
      this.#meter.count('gateway_lcm_escalations_total', { level });
    }
  }

  /** Work below the threshold, as the cache of the prompt allowed it. */
  decided(state: CacheState, decision: 'run' | 'defer'): void {
    this.#meter.count('gateway_lcm_cache_decisions_total', { state, decision });
  }

  assembled(items: readonly ContextItem[], statements: number): void {
    const depth = items.reduce(
      (most, item) => (item.kind === 'summary' ? Math.max(most, item.node.depth) : most),
      0,
    );
    this.#meter.observe('gateway_lcm_dag_depth', depth);
    this.#meter.observe('gateway_lcm_assembly_statements', statements);
  }

  /** What a tool gave back to the model; a refusal opens nothing. */
  opened(tool: string, { text, isError }: ToolResult): void {
    if (isError || !openers.has(tool)) return;
    const truncated = text.includes('[truncated') || text.includes('"truncated":true') ? 'yes' : 'no';
    this.#meter.count('gateway_lcm_expand_tokens_total', { tool, truncated }, estimateTokens(text));
  }

  #took(phase: LcmPhase, startedAt: number): void {
    const seconds = Math.max(0, this.#clock.now().getTime() - startedAt) / 1000;
    this.#meter.observe('gateway_lcm_phase_duration_seconds', seconds, { phase });
  }
}

const openers: ReadonlySet<string> = new Set(['lcm_describe', 'lcm_expand', 'lcm_expand_query']);
