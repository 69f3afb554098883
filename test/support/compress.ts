import {
  defaultConfig,
  outputReserveTokens,
  type Clock,
  type CompactionPlan,
  type CompressionConfig,
  type CompressRequest,
  type Config,
  type ContextEngine,
  type NoPlan,
  type PromptBudget,
} from '@palimpsest/core';
import { compressorFactory } from '@palimpsest/engines';
import { aModel, ScriptedSummariser, type MemoryTranscript } from './memory-transcript.ts';

export const noon = new Date('2026-03-02T12:00:00Z');
export const fixedClock: Clock = { now: () => noon, sleep: () => Promise.resolve() };

/** Legacy unless a test says lean. */
export function configWith(changes: Partial<CompressionConfig> = {}): Config {
  const config = defaultConfig();
  return { ...config, compression: { ...config.compression, tail_mode: 'legacy', ...changes } };
}

export function compressorFor(windowTokens: number, changes: Partial<CompressionConfig> = {}): ContextEngine {
  return compressorFactory(configWith(changes)).create({
    session: {} as never,
    model: aModel({ windowTokens }),
    state: null,
  });
}

export function budgetOf(windowTokens: number, overheadTokens = 500): PromptBudget {
  const reserve = outputReserveTokens({ windowTokens, maxOutputTokens: 8_000, configuredMaxTokens: null });
  return { windowTokens, outputReserveTokens: reserve, overheadTokens };
}

export interface CompressWish extends Partial<CompressRequest> {
  windowTokens: number;
  config?: Partial<CompressionConfig>;
  summariser?: ScriptedSummariser;
  signal?: AbortSignal;
}

/** Ask a fresh compressor for a plan; the prompt is estimated unless the wish says what it counts. */
export function askFor(transcript: MemoryTranscript, wish: CompressWish): Promise<CompactionPlan | NoPlan> {
  const { windowTokens, config, summariser, signal, ...changes } = wish;
  const budget = changes.budget ?? budgetOf(windowTokens);
  const rowTokens = transcript.rows.reduce((sum, row) => sum + row.tokens, 0);
  const request: CompressRequest = {
    layer: 'agent',
    trigger: 'threshold',
    mode: 'full',
    force: false,
    promptTokens: Math.ceil(budget.overheadTokens + rowTokens * transcript.session.estimateRatio),
    promptTokensSource: 'estimate',
    ...changes,
    budget,
  };
  const help = {
    summariser: summariser ?? new ScriptedSummariser(),
    clock: fixedClock,
    signal: signal ?? new AbortController().signal,
  };
  return compressorFor(windowTokens, config).compress(transcript, request, help);
}

/** The plan, or a failing test that says why there was none. */
export async function planFor(transcript: MemoryTranscript, wish: CompressWish): Promise<CompactionPlan> {
  const plan = await askFor(transcript, wish);
  if (plan.kind === 'none') throw new Error(`no plan: ${plan.outcome} ${plan.reason} ${plan.message}`);
  return plan;
}
