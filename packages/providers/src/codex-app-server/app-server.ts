import { isObject } from './json-peer.ts';
import type { Notification, PeerGone } from './json-peer.ts';
import { startServer } from './start-server.ts';
import type { RunningServer, ServerOptions } from './start-server.ts';

export type ThreadListener = (heard: Notification | PeerGone) => void;

/** The app-server of this process: started when it is first needed and again after it ended. */
export class AppServer {
  readonly #options: ServerOptions;
  readonly #listeners = new Map<string, Set<ThreadListener>>();
  #running: Promise<RunningServer> | null = null;
  /** Rises when the server ends: threads loaded before are not loaded now. */
  generation = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  /** Ask the server. throws RpcRefused, PeerGone */
  async request(method: string, params: object): Promise<Record<string, unknown>> {
    return (await this.#start()).peer.request(method, params);
  }

  /** What threads are set up with: the empty folder they work in, and the tool servers to keep from them. */
  async place(): Promise<Pick<RunningServer, 'folder' | 'toolServers'>> {
    return this.#start();
  }

  /** Hear what is said of a thread; returns how to stop. */
  listen(threadId: string, listener: ThreadListener): () => void {
    const listeners = this.#listeners.get(threadId) ?? new Set();
    this.#listeners.set(threadId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(threadId);
    };
  }

  async close(): Promise<void> {
    const running = await this.#running?.catch(() => null);
    this.#running = null;
    await running?.stop();
  }

  #start(): Promise<RunningServer> {
    return (this.#running ??= this.#launch());
  }

  async #launch(): Promise<RunningServer> {
    try {
      return await startServer(this.#options, {
        onNotification: (notification) => this.#hear(notification),
        onGone: (gone) => this.#lose(gone),
      });
    } catch (thrown) {
      this.#running = null;
      throw thrown;
    }
  }

  #lose(gone: PeerGone): void {
    this.#running = null;
    this.generation++;
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener(gone);
  }

  #hear(notification: Notification): void {
    const { threadId, thread } = notification.params;
    const id = typeof threadId === 'string' ? threadId : isObject(thread) ? thread['id'] : undefined;
    if (typeof id !== 'string') return;
    for (const listener of this.#listeners.get(id) ?? []) listener(notification);
  }
}
