import type { Clock, Logger, ServerTool, ToolResult, ToolServerStatus } from '@palimpsest/core';
import { describeFailure } from './describe-failure.ts';
import { openLink, type Link } from './open-link.ts';
import type { ServerPlan } from './server-plan.ts';

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
/** A connection that held this long was a good one: the ladder of waits begins anew. */
const steadyMs = 60_000;

/**
 * One tool server: connected, and again after it ended, with longer and longer waits. Between two connections its tools
 * answer at once that they are away.
 */
export class ServerConnection {
  readonly #plan: ServerPlan;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  readonly #settled = Promise.withResolvers<void>();
  #ready = Promise.withResolvers<Link>();
  #link: Link | null = null;
  #state: ToolServerStatus['state'] = 'starting';
  #problem: string | null = null;
  /** Of the last good connection: a session that begins during a restart has the tools as well. */
  #tools: readonly ServerTool[] = [];
  #running: Promise<void> = Promise.resolve();

  constructor(plan: ServerPlan, { clock, logger }: { clock: Clock; logger: Logger }) {
    this.#plan = plan;
    this.#clock = clock;
    this.#logger = logger;
  }

  start(): void {
    const { config, problem, name } = this.#plan;
    if (!config.enabled || problem !== null) {
      this.#state = config.enabled ? 'down' : 'off';
      this.#problem = problem;
      if (config.enabled) this.#logger.warn({ server: name, problem }, 'tool server not started');
      this.#settled.resolve();
      return;
    }
    this.#running = this.#run();
  }

  /** Resolves when the first attempt to connect has ended, either way. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  status(): ToolServerStatus {
    return { name: this.#plan.name, state: this.#state, problem: this.#problem, tools: this.tools() };
  }

  tools(): readonly ServerTool[] {
    return this.#link?.tools() ?? this.#tools;
  }

  async call(tool: ServerTool, input: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult> {
    const link = this.#link;
    if (!link) return this.#away();
    const end = await link.call(tool, input, signal);
    if (end.kind === 'result') return end.result;
    this.#drop(link);
    const next = await this.#another(signal);
    const second = await next?.call(tool, input, signal);
    return second?.kind === 'result' ? second.result : this.#away();
  }

  #away(): ToolResult {
    const text = `the tool server "${this.#plan.name}" is not available now; it is tried again by itself. Go on without it, or try later.`;
    return { text, isError: true };
  }

  /** The next connection, if it comes within the time for a start. */
  async #another(signal: AbortSignal): Promise<Link | null> {
    const waitMs = this.#plan.config.start_timeout_seconds * 1000;
    const given = new AbortController();
    const late = this.#clock.sleep(waitMs, AbortSignal.any([signal, this.#closing.signal, given.signal]));
    try {
      return await Promise.race([this.#ready.promise, late.then(() => null)]);
    } finally {
      given.abort();
    }
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#closing.signal.aborted) {
      const startedAt = this.#clock.now().getTime();
      this.#problem = await this.#connectOnce();
      this.#state = 'down';
      this.#settled.resolve();
      if (this.#closing.signal.aborted) break;
      const held = this.#clock.now().getTime() - startedAt;
      failures = held > steadyMs ? 0 : failures + 1;
      const waitMs = failures === 0 ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1));
      const fields = { server: this.#plan.name, problem: this.#problem, waitMs };
      // A server that stays away is told of once, not every minute.
      if (failures <= 1) this.#logger.warn(fields, 'tool server is down; it is tried again by itself');
      else this.#logger.debug(fields, 'tool server is still down');
      await this.#clock.sleep(waitMs, this.#closing.signal);
    }
  }

  /** Connect and stay until the connection ends; why it did. */
  async #connectOnce(): Promise<string> {
    let link: Link;
    try {
      link = await openLink(this.#plan, this.#closing.signal);
    } catch (thrown) {
      return describeFailure(thrown);
    }
    this.#link = link;
    this.#state = 'ready';
    this.#problem = null;
    this.#logger.info({ server: this.#plan.name, tools: link.tools().length }, 'tool server is ready');
    this.#settled.resolve();
    this.#ready.resolve(link);
    const reason = await Promise.race([link.ended, whenAborted(this.#closing.signal)]);
    this.#drop(link);
    await link.close();
    return reason;
  }

  /** From now on calls wait for the next connection, or are told that there is none. */
  #drop(link: Link): void {
    if (this.#link !== link) return;
    this.#tools = link.tools();
    this.#link = null;
    this.#ready = Promise.withResolvers<Link>();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    this.#settled.resolve();
  }
}

function whenAborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('closed');
    else signal.addEventListener('abort', () => resolve('closed'), { once: true });
  });
}
