import { AsyncLocalStorage } from 'node:async_hooks';
import { systemClock, type Clock, type Queue, type Store, type Summariser } from '@palimpsest/core';

type WorkerQueue = Pick<
  Queue,
  'wake' | 'deliver' | 'fetchMedia' | 'maintain' | 'workTurns' | 'workMaintenance'
>;

/** A turn in which something waited on the way to its request: its own call of the summariser, or a wait for a job's. */
interface TurnWork {
  waitedMs: number;
}

/**
 * What every turn waited. Two measures: the time from a message's commit to the model's request, whatever it went on;
 * and the time that a turn itself spent in a call of the summariser or asleep for one that a job was making. The job's
 * own calls are nobody's wait.
 */
export class TurnWaits {
  readonly #turn = new AsyncLocalStorage<TurnWork>();
  readonly #committed = new Map<string, number>();
  readonly #messagesOfTurn: string[] = [];
  readonly requestMs: number[] = [];
  readonly summaryMs: number[] = [];
  summaries = 0;

  committed(messageId: string): void {
    this.#committed.set(messageId, performance.now());
  }

  /** The model has the request of the turn in hand: every message in it has waited until now. */
  requested(): void {
    const now = performance.now();
    for (const id of this.#messagesOfTurn.splice(0)) {
      this.requestMs.push(Math.max(0, now - (this.#committed.get(id) ?? now)));
      this.summaryMs.push(this.#turn.getStore()?.waitedMs ?? 0);
    }
    const work = this.#turn.getStore();
    if (work) work.waitedMs = 0;
  }

  store(store: Store): Store {
    const { turns } = store;
    const nextWork: typeof turns.nextWork = async (lease, options) => {
      const work = await turns.nextWork(lease, options);
      if (work.kind === 'turn')
        for (const { content } of work.turn.mailbox)
          if (content.kind === 'message') this.#messagesOfTurn.push(content.message.messageId);
      return work;
    };
    return { ...store, turns: { ...turns, nextWork } };
  }

  queue(queue: WorkerQueue): WorkerQueue {
    return {
      wake: (sessionId) => queue.wake(sessionId),
      deliver: (account) => queue.deliver(account),
      fetchMedia: (account) => queue.fetchMedia(account),
      maintain: (task) => queue.maintain(task),
      workMaintenance: (handler, concurrency) => queue.workMaintenance(handler, concurrency),
      workTurns: (handler, concurrency) =>
        queue.workTurns(
          (sessionId, signal) => this.#turn.run({ waitedMs: 0 }, () => handler(sessionId, signal)),
          concurrency,
        ),
    };
  }

  clock(): Clock {
    return {
      now: () => systemClock.now(),
      sleep: (ms, signal) => this.#timed(systemClock.sleep(ms, signal)),
    };
  }

  /** Answers after `delayMs` with a summary of real size, or when it is stopped. */
  summariser(delayMs: number): Summariser {
    return {
      model: 'bench/slow',
      windowTokens: 200_000,
      summarise: async (_request, signal) => {
        this.summaries += 1;
        await this.#timed(systemClock.sleep(delayMs, signal));
        if (!signal.aborted) return { kind: 'text', text: summary, usage: null };
        const message = 'the summary was stopped on request';
        return { kind: 'failed', reason: 'user_cancelled', policy: 'abort', cooldownMs: 0, message };
      },
    };
  }

  async #timed(waiting: Promise<void>): Promise<void> {
    const work = this.#turn.getStore();
    const startedAt = performance.now();
    await waiting;
    if (work) work.waitedMs += performance.now() - startedAt;
  }
}

const summary = `## Goal\n${'The crew sails at the next tide and the log is kept as agreed. '.repeat(40)}`;
