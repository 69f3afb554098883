import type { PromptMessage } from '@palimpsest/core';

import type { AppServer } from './app-server.ts';
import { isObject, RpcRefused } from './json-peer.ts';
import type { Notification, PeerGone } from './json-peer.ts';
import type { FoundMark } from './thread-mark.ts';
import { readCounts } from './token-counts.ts';

/** Threads kept loaded in the server; the longest unused one is let go. */
const mostLoaded = 50;

/** "no rollout found for thread id …" */
const unknownThreadCode = -32600;

/** Nothing of the machine is for the model: no shell, no files, no plug-ins, no web. */
const closedFeatures = [
  'shell_tool',
  'unified_exec',
  'view_image',
  'image_generation',
  'apps',
  'plugins',
  'multi_agent',
  'goals',
  'hooks',
  'skill_search',
  'tool_suggest',
];

export interface ThreadState {
  generation: number;
  /** The last turn of ours in it; a conversation that does not hold it has gone another way. */
  lastTurnId: string | null;
  totalTokens: number | null;
  contextTokens: number | null;
}

export interface OpenThread {
  threadId: string;
  /** Index of the first message that the thread has not seen. */
  unseenFrom: number;
  state: ThreadState;
}

interface Known {
  state: ThreadState;
  forget(): void;
}

/** What this process knows of the server's threads. */
export class ThreadBook {
  readonly #server: AppServer;
  readonly #model: string;
  readonly #threads = new Map<string, Known>();

  constructor(server: AppServer, model: string) {
    this.#server = server;
    this.#model = model;
  }

  /**
   * The thread of a conversation: the one it last went on in, loaded again where needed, else a new one. A thread whose
   * last turn is not in the conversation (taken back, stopped or failed) is left behind.
   */
  async open(
    messages: readonly PromptMessage[],
    mark: FoundMark | null,
    system: string,
  ): Promise<OpenThread> {
    const known = mark && (await this.goOn(mark, system));
    return known ?? { ...(await this.begin(system, false)), unseenFrom: 0 };
  }

  /** A new thread. `ephemeral`: nothing of it is kept. */
  async begin(system: string, ephemeral: boolean): Promise<{ threadId: string; state: ThreadState }> {
    const params = { ...(await this.#settings(system)), ephemeral };
    const { thread } = await this.#server.request('thread/start', params);
    const threadId = isObject(thread) && typeof thread['id'] === 'string' ? thread['id'] : '';
    const state = { ...this.#fresh(), totalTokens: 0 };
    if (!ephemeral) this.#keep(threadId, state);
    return { threadId, state };
  }

  /**
   * The thread of a mark, loaded; null when the conversation went another way or the server does not know it.
   *
   * system   null: as it is
   */
  async goOn(mark: FoundMark, system: string | null): Promise<OpenThread | null> {
    const { threadId, turnId } = mark;
    const known = this.#threads.get(threadId);
    const isLoaded = known?.state.generation === this.#server.generation;
    const lastTurnId = known?.state.lastTurnId ?? null;
    // Another process went on in it, if our last turn stands earlier in the conversation.
    const wentOn = lastTurnId !== null && mark.earlierTurns.has(lastTurnId);
    if (known && lastTurnId !== turnId && !wentOn) return null;
    const isCurrent = isLoaded && lastTurnId === turnId;
    if (isLoaded && !isCurrent) await this.#release(threadId);
    const state = isCurrent ? known.state : await this.#resume(mark, system);
    return state && { threadId, unseenFrom: mark.at + 1, state: this.#keep(threadId, state) };
  }

  async #resume(mark: FoundMark, system: string | null): Promise<ThreadState | null> {
    const { threadId, turnId, contextTokens } = mark;
    try {
      const params = { ...(await this.#settings(system)), threadId, excludeTurns: true };
      await this.#server.request('thread/resume', params);
      return { ...this.#fresh(), lastTurnId: turnId, contextTokens };
    } catch (thrown) {
      if (thrown instanceof RpcRefused && thrown.code === unknownThreadCode) return null;
      throw thrown;
    }
  }

  #fresh(): ThreadState {
    const { generation } = this.#server;
    return { generation, lastTurnId: null, totalTokens: null, contextTokens: null };
  }

  async #settings(system: string | null): Promise<object> {
    return {
      cwd: await this.#server.folder(),
      model: this.#model,
      approvalPolicy: 'never',
      sandbox: 'read-only',
      ...(system === null ? {} : { baseInstructions: system }),
      config: {
        web_search: 'disabled',
        ...Object.fromEntries(closedFeatures.map((name) => [`features.${name}`, false])),
      },
    };
  }

  /** Token counts are told after a load and after each answer of the model. */
  #keep(threadId: string, state: ThreadState): ThreadState {
    this.#threads.get(threadId)?.forget();
    this.#threads.delete(threadId);
    const forget = this.#server.listen(threadId, (heard) => count(state, heard));
    this.#threads.set(threadId, { state, forget });
    const oldest = this.#threads.keys().next();
    if (this.#threads.size > mostLoaded && !oldest.done) {
      this.#threads.get(oldest.value)?.forget();
      this.#threads.delete(oldest.value);
      void this.#release(oldest.value);
    }
    return state;
  }

  async #release(threadId: string): Promise<void> {
    await this.#server.request('thread/unsubscribe', { threadId }).catch(() => undefined);
  }
}

function count(state: ThreadState, heard: Notification | PeerGone): void {
  if (heard instanceof Error || heard.method !== 'thread/tokenUsage/updated') return;
  const counts = readCounts(heard.params['tokenUsage']);
  if (!counts) return;
  state.totalTokens = counts.total.totalTokens;
  state.contextTokens = counts.contextTokens;
}
