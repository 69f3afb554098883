import type { Clock, LcmConfig, LcmScope, LcmStore, Summariser } from '@palimpsest/core';
import type { TimeWords } from '../time-words.ts';
import type { ToolArguments } from './arguments.ts';

/** What a tool of the engine works with. Who may see what is decided by the store from the asking session. */
export interface ToolGround {
  store: LcmStore;
  config: LcmConfig;
  sessionId: string;
  time: TimeWords;
  clock: Clock;
  signal: AbortSignal;
  /** Answers lcm_expand_query; null: the opened text itself is the answer. */
  reader: Summariser | null;
  /** Sessions for which a question is being answered. */
  inFlight: Set<string>;
  /** The state of this session, for lcm_describe. */
  statusLines(): Promise<readonly string[]>;
}

/** The caller's scope; a conversation that is named narrows it and can never widen it. */
export function scopeOf({ sessionId }: ToolGround, input: ToolArguments): LcmScope {
  const named = input.text('conversation_id');
  if (named !== undefined) return { sessionId, onlySessionId: named };
  return input.boolean('all_conversations', true) ? { sessionId } : { sessionId, onlySessionId: sessionId };
}

/** Nothing is said of what exists elsewhere. */
export function notFound(id: string): string {
  return `${JSON.stringify(id)} was not found in this session's scope`;
}
