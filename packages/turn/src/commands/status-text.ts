import type { Turn } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { notice } from '../texts.ts';

/** What a person sees on /status: how full the context is and where the figure comes from. */
export function statusText(claimed: ClaimedSession, running: Turn | null): string {
  const { session, deps } = claimed;
  const state = claimed.state();
  const percent = Math.min(100, Math.round((state.promptTokens / state.budget.windowTokens) * 100));
  const source = state.source === 'api' ? 'counted by the model' : 'estimated';
  const lines = [
    `Context: ${percent} % of ${state.budget.windowTokens.toLocaleString('en')} tokens (${state.promptTokens.toLocaleString('en')}, ${source})`,
    `Condensed ${session.compactionCount} times; older lines stay searchable`,
    `Model ${deps.model.info.label}, engine ${claimed.engine.name}`,
    deps.model.info.caching ?? 'Prompt caching: off',
    running ? 'An answer is being written; /stop ends it' : 'Nothing is running',
    ...claimed.engine.getStatus(state.budget).lines,
  ];
  return notice(lines.join('\n'));
}
