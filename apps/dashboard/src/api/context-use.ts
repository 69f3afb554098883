import type { SessionOverview } from '@palimpsest/core';

export interface ContextUse {
  contextTokens: number;
  /** counted: by the model at the last turn; estimated: the live rows, where no count is there or it is outdated. */
  contextSource: 'counted' | 'estimated';
  windowTokens: number;
}

/** How full the window is. A count of 0 or -1 says that no turn was counted since the last compaction. */
export function withContextUse(session: SessionOverview, windowTokens: number): SessionOverview & ContextUse {
  const counted = session.lastPromptTokens > 0;
  return {
    ...session,
    contextTokens: counted ? session.lastPromptTokens : session.liveTokens,
    contextSource: counted ? 'counted' : 'estimated',
    windowTokens,
  };
}
