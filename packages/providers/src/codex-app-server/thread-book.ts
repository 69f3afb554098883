import type { Clock, PromptMessage } from '@palimpsest/core';

import type { AppServer } from './app-server.ts';
import { isObject, RpcRefused } from './json-peer.ts';
import type { FoundMark } from './thread-mark.ts';
import { threadSettings } from './thread-settings.ts';

/** Threads remembered at once; of a forgotten one only its conversation tells. */
const mostRemembered = 2_000;
/** "no rollout found for thread id …", and the two below. */
const refusedCode = -32600;
/** Somebody has just let go of the thread, or is about to: it is free in a moment. There is no code for it. */
const passing = /is closing; retry|already has an active writer/;
const passingWaitMs = 50;
const passingTries = 40;

interface Known {
  /** The last turn of ours in it; null: one that did not end well. */
  lastTurnId: string | null;
  contextTokens: number | null;
}

/** A thread that is loaded, until it is released. */
export interface OpenThread {
  threadId: string;
  /** Index of the first message that the thread has not seen. */
  unseenFrom: number;
  /** Prompt tokens in use, as last told; null: not known. */
  contextTokens: number | null;
}

/** The server's threads as this process has left them. */
export class ThreadBook {
  readonly #server: AppServer;
  readonly #model: string;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(server: AppServer, model: string, clock: Clock) {
    this.#server = server;
    this.#model = model;
    this.#clock = clock;
  }

  /**
   * The thread of a conversation: the one it last went on in, loaded, else a new one. A thread whose last turn is not in
   * the conversation (taken back, stopped or failed) is left behind.
   */
  async open(
    messages: readonly PromptMessage[],
    mark: FoundMark | null,
    system: string,
  ): Promise<OpenThread> {
    return (mark && (await this.goOn(mark, system))) ?? this.begin(system, false);
  }

  /** A new thread. `ephemeral`: nothing of it is kept. */
  async begin(system: string, ephemeral: boolean): Promise<OpenThread> {
    const params = { ...(await this.#settings(system)), ephemeral };
    const { thread } = await this.#server.request('thread/start', params);
    const threadId = isObject(thread) && typeof thread['id'] === 'string' ? thread['id'] : '';
    return { threadId, unseenFrom: 0, contextTokens: null };
  }

  /**
   * The thread of a mark, loaded; null when the conversation went another way or the server does not know it.
   *
   * system   null: its instructions stay
   */
  async goOn(mark: FoundMark, system: string | null): Promise<OpenThread | null> {
    const { threadId, turnId, at } = mark;
    const known = this.#known.get(threadId);
    // Another process went on in it, if our last turn stands earlier in the conversation.
    const wentOn = known?.lastTurnId && mark.earlierTurns.has(known.lastTurnId);
    if (known && known.lastTurnId !== turnId && !wentOn) return null;
    if (!(await this.#load(threadId, system))) return null;
    const contextTokens = known?.lastTurnId === turnId ? known.contextTokens : mark.contextTokens;
    return { threadId, unseenFrom: at + 1, contextTokens };
  }

  /** Note how a thread stands now. `lastTurnId` undefined: as before. */
  note(threadId: string, now: { lastTurnId?: string | null; contextTokens: number | null }): void {
    const before = this.#known.get(threadId);
    this.#known.delete(threadId);
    this.#known.set(threadId, {
      lastTurnId: now.lastTurnId === undefined ? (before?.lastTurnId ?? null) : now.lastTurnId,
      contextTokens: now.contextTokens ?? before?.contextTokens ?? null,
    });
    const oldest = this.#known.keys().next();
    if (this.#known.size > mostRemembered && !oldest.done) this.#known.delete(oldest.value);
  }

  /** Let go of a thread, so that another process can go on in it. */
  async release({ threadId }: OpenThread): Promise<void> {
    await this.#server.request('thread/unsubscribe', { threadId }).catch(() => undefined);
  }

  async #load(threadId: string, system: string | null): Promise<boolean> {
    const params = { ...(await this.#settings(system)), threadId, excludeTurns: true };
    for (let tries = 1; ; tries++) {
      try {
        await this.#server.request('thread/resume', params);
        return true;
      } catch (thrown) {
        if (!(thrown instanceof RpcRefused) || thrown.code !== refusedCode) throw thrown;
        if (!passing.test(thrown.message) || tries >= passingTries) return false;
        await this.#clock.sleep(passingWaitMs);
      }
    }
  }

  async #settings(system: string | null): Promise<object> {
    const { folder, toolServers } = await this.#server.place();
    return threadSettings({ folder, toolServers, model: this.#model, system });
  }
}
