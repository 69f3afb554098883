import { notice, type ModelInfo, type Turn } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';

/** What a person sees on /status: how full the context is and where the figure comes from. */
export function statusText(claimed: ClaimedSession, running: Turn | null): string {
  const { session, deps } = claimed;
  const { info } = deps.model;
  const { promptTokens, budget, source } = claimed.state();
  const percent = Math.min(100, Math.round((promptTokens / budget.windowTokens) * 100));
  // The offline responder counts nothing: what it reports is our own estimate.
  const isCounted = source === 'api' && info.provider !== 'offline';
  const lines = [
    `Context: ${percent} % of ${number(budget.windowTokens)} tokens (${number(promptTokens)}, ${isCounted ? 'counted by the model' : 'estimated'}).`,
    condensedText(session.compactionCount),
    `Model: ${info.label}. Engine: ${claimed.engine.name}.`,
    ...cachingLines(info),
    running ? 'An answer is being written; /stop ends it.' : 'Nothing is running.',
    ...claimed.engine.getStatus(budget).lines,
  ];
  return notice(lines.join('\n'));
}

function condensedText(times: number): string {
  if (times === 0) return 'Not condensed yet.';
  return `Condensed ${times === 1 ? 'once' : `${number(times)} times`}; older lines stay searchable.`;
}

/** Nothing of the offline responder is cached, so there is nothing to say. */
function cachingLines({ provider, caching, cachingOff }: ModelInfo): string[] {
  if (provider === 'offline') return [];
  if (cachingOff) return ['Prompt caching is off.'];
  return [caching ? `Prompt caching is on: ${caching}.` : 'Prompt caching is left to the provider.'];
}

function number(value: number): string {
  return value.toLocaleString('en');
}
