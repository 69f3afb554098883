import { createHash } from 'node:crypto';

import type { CheckpointItem, ReasoningItem } from './response-item.ts';

/** Sessions remembered at once; a forgotten one only pays one more refusal. */
const mostSessions = 2_000;

interface Memory {
  nativeOff: boolean;
  refused: Set<string>;
}

/** What a service refused to a session, so that it is not asked again. Lives as long as the client. */
export class SessionMemory {
  readonly #sessions = new Map<string, Memory>();

  /** The service refuses to condense for this session. */
  switchNativeOff(sessionId: string): void {
    this.#of(sessionId).nativeOff = true;
  }

  isNativeOff(sessionId: string): boolean {
    return this.#sessions.get(sessionId)?.nativeOff ?? false;
  }

  /** The service cannot read these items any more; kept, they would wedge the session for ever. */
  refuse(sessionId: string, items: readonly (ReasoningItem | CheckpointItem)[]): void {
    const { refused } = this.#of(sessionId);
    for (const item of items) refused.add(digest(item));
  }

  isRefused(sessionId: string, item: ReasoningItem | CheckpointItem): boolean {
    return this.#sessions.get(sessionId)?.refused.has(digest(item)) ?? false;
  }

  #of(sessionId: string): Memory {
    const memory = this.#sessions.get(sessionId) ?? { nativeOff: false, refused: new Set<string>() };
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, memory);
    const oldest = this.#sessions.keys().next();
    if (this.#sessions.size > mostSessions && !oldest.done) this.#sessions.delete(oldest.value);
    return memory;
  }
}

function digest(item: ReasoningItem | CheckpointItem): string {
  return createHash('sha256').update(item.encrypted_content).digest('base64url').slice(0, 16);
}
